"""Read axes from attributes or inputs, check their range, and draw them."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.families.attributes import Integers, integers
from plumbline.oracle.operator import Choose, Operator, Predicate


def axis_of(definition: Operator, default: Any = None, name: str = "axis") -> Any:
    """The attribute, or its default; None if it is not an int."""
    value = definition.attributes.get(name, default)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def within(what: str, values: Integers, lowest: int, highest: int) -> str | None:
    """Return why not each of `values` is from `lowest` to `highest`, or None if each is.

    `what` names them in the message; `values` is None if they are not integers."""
    if values is None:
        return f"{what} is not given as integers"
    for value in values:
        if not lowest <= value <= highest:
            return f"{what} has {value}, not from {lowest} to {highest}"
    return None


def axis_within(definition: Operator, default: Any, lowest: int, highest: int, name: str = "axis") -> str | None:
    """The attribute, or its default, is an int from `lowest` to `highest`."""
    value = axis_of(definition, default, name)
    if value is None:
        return f"{name} is {definition.attributes.get(name, default)!r}, not an integer"
    return None if lowest <= value <= highest else f"{name} is {value}, not from {lowest} to {highest}"


def along(clause: str, name: str, needs: tuple[str, ...] = ()) -> Predicate:
    """Return a clause on calls: the attribute `axis` is an axis of an input, counted from either end."""
    def beyond(self: Operator) -> str | None:
        rank = self.inputs[name].ndim
        return axis_within(self, self.attribute("axis"), -rank, rank - 1)
    return Predicate("call", clause, beyond, needs)


def list_of(definition: Operator, name: str) -> Integers:
    """A list of ints that is an attribute in some versions and an input with one axis in others; None if it is absent
    or is no such list."""
    if name in definition.inputs:
        tensor = definition.inputs[name]
        return tuple(int(value) for value in np.asarray(tensor)) if tensor.dtype.kind == "i" and tensor.ndim == 1 \
            else None
    return integers(definition.attributes.get(name))


def either_end(choose: Choose, place: int, count: int, back: bool) -> int:
    """A place among `count`, or the same counted from the back, where that is allowed."""
    return choose((place, place - count)) if back else place
