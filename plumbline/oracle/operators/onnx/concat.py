"""Judge and generate calls of ONNX Concat, by `spec/onnx/concat.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_of, axis_within, either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import FLOATS, Types, a_type, moved, types_at
from plumbline.oracle.families.elementwise import SIZES, a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, Operator, Predicate, on_call
from plumbline.oracle.size_classes import TALL_ROWS, WIDE_ROWS, Named
from plumbline.oracle.type_names import name_of

MOST = 2**31 - 1
"""Inputs of a variadic input."""


class _Concatenation(Movement):
    """The part that ONNX and its profile SONNX share."""

    output = "concat_result"
    types: ClassVar[Types]
    counts_back_from = 11
    wide = {**WIDE_ROWS, "axis": 1}
    tall = {**TALL_ROWS, "further size": 3}
    flag_notes = {**Movement.flag_notes, "negative-axis": "axis counts from the back.",
                  "default-axis": "axis is not set, which the attribute of version 1 need not be.",
                  "one-input": "there is one input, which many runtimes pass on as it is."}

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The names of all inputs."""
        return self.inputs

    @property
    def rank(self) -> int:
        """The rank of the first input."""
        return self.source.ndim

    @property
    def axis(self) -> int:
        """The axis, counted from the front; the default of version 1 is 1."""
        axis = int(axis_of(self, 1))
        return axis + self.rank if axis < 0 else axis

    def places(self) -> np.ndarray:
        """Return the positions of one input after another, along the axis."""
        start, parts = 0, []
        for source in self.sources.values():
            parts.append(row_by_row(source.shape) + start)
            start += source.size
        return np.concatenate(parts, axis=self.axis)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: up to nine inputs, equal but on the axis, where some have no elements."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        dtype = a_type(choose, types_at(cls.types, version))
        inputs = {}
        for number in range(choose((2, 1, 3, 4, 9), (4, 1, 3, 1, 0.3))):
            size = choose(Named("further size", (shape[axis], *SIZES, 0))) if number else shape[axis]
            inputs[f"inputs_{number}"] = choose.tensor((*shape[:axis], size, *shape[axis + 1:]), dtype, "bits")
        attributes = {} if version == 1 and axis == 1 and choose((True, False)) else {
            "axis": either_end(choose, axis, len(shape), version >= cls.counts_back_from)}
        return Call("Concat", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "negative-axis": (axis_of(self, 1) or 0) < 0,
                "default-axis": "axis" not in self.attributes, "one-input": len(self.inputs) == 1}


def number_of_inputs(clause: str) -> Predicate:
    """There is an input, and no more than a node may have."""
    def wrong(self: Operator) -> str | None:
        return None if 1 <= len(self.inputs) <= MOST else f"there are {len(self.inputs)} inputs"
    return Predicate("call", clause, wrong)


def one_rank(clause: str, inputs: str) -> Predicate:
    """All inputs, where there are any, have one rank above 0."""
    def wrong(self: Operator) -> str | None:
        ranks = {tensor.ndim for tensor in self.inputs.values()}
        if len(ranks) > 1:
            return f"the inputs have {', '.join(map(str, sorted(ranks)))} axes"
        return "the inputs have no axes" if ranks == {0} else None
    return Predicate("call", clause, wrong, (inputs,))


def one_shape_elsewhere(clause: str, *needs: str) -> Predicate:
    """All inputs agree on every axis but one."""
    def wrong(self: _Concatenation) -> str | None:
        shapes = [tensor.shape for tensor in self.inputs.values()]
        others = {(*shape[:self.axis], *shape[self.axis + 1:]) for shape in shapes}
        return None if len(others) == 1 else f"the shapes {', '.join(map(str, shapes))} differ on other axes"
    return Predicate("call", clause, wrong, needs)


def types_of_all(clause: str, allowed: tuple[str, ...]) -> Predicate:
    """The elements of every input are of these types."""
    def wrong(self: Operator) -> str | None:
        return next((f"{name} is {name_of(tensor.dtype)}" for name, tensor in self.inputs.items()
                     if name_of(tensor.dtype) not in allowed), None)
    return Predicate("call", clause, wrong)


class Concat(_Concatenation):
    """A call of Concat under one version of its specification."""

    types = {1: FLOATS, 4: moved(4), 13: moved(13)}

    some_inputs = number_of_inputs("inputs.C1")
    ranks = one_rank("inputs.C3", "inputs.C1")
    shapes = one_shape_elsewhere("inputs.C4", "inputs.C1", "inputs.C3", "axis.C2", "axis.C3")
    shape = copied_shape("concat_result.C1")
    value = elements_of("concat_result.F1", "concat_result", "not the element of the inputs at that place")
    nan = bits_of_nan("concat_result.U1")

    @on_call("axis.C2", needs=("inputs.C1", "inputs.C3"))
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, 1, 0, self.rank - 1)

    @on_call("axis.C3", needs=("inputs.C1", "inputs.C3"))
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, 1, -self.rank, self.rank - 1)
