"""Make predicates for clauses that operators of all families share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from plumbline.oracle.answers import Wrong
from plumbline.oracle.call import is_of
from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.checks import at_least, integer, length, one_of
from plumbline.oracle.operator import UNBOUND, Operator, Predicate, Unspecified
from plumbline.oracle.response import Response, missing_output, wrong_shape, wrong_tensor, wrong_type
from plumbline.oracle.type_names import name_of


def attributes_of(clause: str, introduced: Mapping[str, int], last: Mapping[str, int] | None = None) -> Predicate:
    """Return a clause on calls: only attributes of this version are set.

    `introduced` has the first version of each attribute, `last` the last version of those that were removed."""
    gone = last or {}

    def foreign(self: Operator) -> str | None:
        names = [name for name in self.attributes if introduced.get(name, self.version + 1) > self.version
                 or gone.get(name, self.version) < self.version]
        return f"version {self.version} has no attribute {', '.join(names)}" if names else None
    return Predicate("call", clause, foreign)


def element_type(clause: str, name: str, allowed: tuple[str, ...]) -> Predicate:
    """The element type of an input, where it is given, is one of those allowed."""
    def other(self: Operator) -> str | None:
        tensor = self.inputs.get(name)
        return None if tensor is None or name_of(tensor.dtype) in allowed else f"{name} is {name_of(tensor.dtype)}"
    return Predicate("call", clause, other)


def integer_list(clause: str, name: str) -> Predicate:
    """An attribute, where it is set, is a list of ints."""
    def other(self: Operator) -> str | None:
        value = self.attributes.get(name, [])
        return None if integers(value) is not None else f"{name} is {value!r}, not a list of ints"
    return Predicate("call", clause, other)


def same_type(clause: str, *names: str) -> Predicate:
    """Return a clause on calls: the inputs named (by default all), where given, have one element type."""
    def differs(self: Operator) -> str | None:
        given = {name: self.inputs[name].dtype for name in names or self.inputs if name in self.inputs}
        if len(set(given.values())) <= 1:
            return None
        return ", ".join(f"{name} is {name_of(dtype)}" for name, dtype in given.items())
    return Predicate("call", clause, differs)


def same_shape(clause: str, *names: str) -> Predicate:
    """The inputs named (all inputs, where none is named) have one shape."""
    def differs(self: Operator) -> str | None:
        shapes = {name: tuple(self.inputs[name].shape) for name in names or self.inputs}
        first = next(iter(shapes.values()))
        if all(shape == first for shape in shapes.values()):
            return None
        return ", ".join(f"{name} has shape {list(shape)}" for name, shape in shapes.items())
    return Predicate("call", clause, differs)


def presence(clause: str) -> Predicate:
    """Return a clause on outputs: every output asked for is given."""
    return Predicate("outputs", clause, lambda self, response: missing_output(response))


def integer_attribute(clause: str, name: str) -> Predicate:
    """The clause on an attribute that is an integer."""
    return Predicate("call", clause, lambda self: integer(self.call, name))


def values_of(name: str, least: int, clause: str = UNBOUND) -> Predicate:
    """Return a clause on calls: each element of a list, where it is given, is at least a number."""
    return Predicate("call", clause, lambda self: at_least(
        self.call, name, integers(self.attributes[name]), least) if name in self.attributes else None)


def length_of(name: str, each: int = 1, clause: str = UNBOUND, needs: str = "spatial_axes") -> Predicate:
    """Return a clause on calls: a list, where it is given, has so many elements for each spatial axis of X."""
    what = "X has spatial axes:" if each == 1 else "twice the spatial axes of X is"
    return Predicate("call", clause, lambda self: length(
        name, integers(self.attributes.get(name)), each * self.rank, what), (needs,))


def one_of_values(clause: str, name: str, allowed: tuple[Any, ...]) -> Predicate:
    """Return a clause on calls: an attribute, or its default, is one of some values."""
    return Predicate("call", clause, lambda self: one_of(self.call, name, self.attribute(name), allowed))


def shape_of_output(clause: str, output: str = "", needs: tuple[str, ...] = ()) -> Predicate:
    """An output, by default that which the definition names, has the shape that `Operator.shape_of` gives."""
    def wrong(self: Any, response: Response) -> Wrong | None:
        named = [name for name in response.asked if is_of(name, output or self.output)]
        return next(filter(None, (wrong_shape(response, name) for name in named)), None)
    return Predicate("outputs", clause, wrong, needs)


def type_of_output(clause: str, output: str, wanted: Callable[[Any], np.dtype]) -> Predicate:
    """An output has an element type."""
    return Predicate("outputs", clause, lambda self, response: wrong_type(response, output, wanted(self)))


def tensor_of_output(clause: str, output: str, wanted: Callable[[Any], np.dtype]) -> Predicate:
    """An output is given, and has its shape and an element type: for texts that say all of it in one clause."""
    return Predicate("outputs", clause, lambda self, response: wrong_tensor(response, output, wanted(self)))


def elements_of(clause: str, output: str, why: str, about: Callable[[Any], Any] = lambda self: True) -> Predicate:
    """Return a clause that is blamed for all wrong elements of an output which no other clause is about.

    about: from the definition to the mask, or one bool, of the elements that the clause is about: others are blamed on
           the U clauses that are about them."""
    return Predicate("elements", clause, lambda self, got: about(self), output=output, why=why)


def any_nan(clause: str, output: str) -> Predicate:
    """Return a U clause: where an output is NaN, any NaN conforms."""
    def bits(self: Operator) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical[output]), output, admits=np.isnan)
    return Predicate("open", clause, bits)
