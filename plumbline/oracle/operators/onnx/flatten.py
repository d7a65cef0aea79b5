"""Judge and generate calls of ONNX Flatten, by `spec/onnx/flatten.md`."""

from __future__ import annotations

from math import prod
from typing import ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_of, axis_within, either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import FLOATS, Types, a_type, moved, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, on_call


class _Flattening(Movement):
    """The part that ONNX and its profile SONNX share."""

    types: ClassVar[Types]
    has_default = True
    counts_back_from = 11
    flag_notes = {**Movement.flag_notes, "negative-axis": "axis counts from the back."}

    @property
    def axis(self) -> int:
        """The axis, counted from the front; the default is 1."""
        axis = int(axis_of(self, 1))
        return axis + self.source.ndim if axis < 0 else axis

    def places(self) -> np.ndarray:
        """Return the positions in row-major order, on two axes."""
        shape = self.source.shape
        return row_by_row(shape).reshape(prod(shape[:self.axis]), prod(shape[self.axis:]))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape."""
        shape = a_shape(choose)
        rank = len(shape)
        axis = choose([*range(min(1, rank), rank + 1), *range(min(1, rank))])
        attributes = {} if cls.has_default and axis == 1 and choose((True, False)) else {
            "axis": axis if axis == rank else either_end(choose, axis, rank, version >= cls.counts_back_from)}
        data = choose.tensor(shape, a_type(choose, types_at(cls.types, version)), "bits")
        return Call("Flatten", attributes, {"input": data})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "negative-axis": (axis_of(self, 1) or 0) < 0}


class Flatten(_Flattening):
    """A call of Flatten under one version of its specification."""

    types = {1: FLOATS, 9: moved(9), **{version: moved(version) for version in (13, 21, 23, 24, 25)}}

    shape = copied_shape("output.C1")
    value = elements_of("output.F1", "output", "not the element of input at that position")
    nan = bits_of_nan("output.U1")

    @on_call("axis.C1")
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, 1, 0, self.source.ndim)

    @on_call("axis.C2")
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, 1, -self.source.ndim, self.source.ndim)
