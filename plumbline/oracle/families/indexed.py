"""Operators that copy elements at indices: clauses and positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plumbline.oracle.families.axes import along
from plumbline.oracle.families.indices import from_the_front, out_of_bounds
from plumbline.oracle.families.movement import Movement, row_by_row
from plumbline.oracle.operator import UNBOUND, on_call
from plumbline.oracle.size_classes import FAR, SizeClass, a_far_index, is_far


class Indexed(Movement):
    """A call with an input `indices` on a tensor that has axes."""

    @property
    def indices(self) -> np.ndarray:
        """The input."""
        return self.inputs["indices"]

    @on_call(UNBOUND)
    def has_an_axis(self) -> str | None:
        return None if self.source.ndim else "data has no axes"

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of movement, and a far index."""
        return *super().size_classes(version), a_far_index()

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of movement, and whether an index is far."""
        return {**super().named_sizes(), FAR: is_far(self.indices)}


class Tuples(Indexed):
    """A call whose indices are tuples along the last axis."""

    @on_call(UNBOUND)
    def has_tuples(self) -> str | None:
        return None if self.indices.ndim else "indices have no axes"


class AlongAxis(Indexed):
    """A call whose indices are along an axis."""

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        axis = int(self.attribute("axis"))
        return axis + self.source.ndim if axis < 0 else axis

    axis_from_either_end = along(UNBOUND, "data", needs=("has_an_axis",))


class ElementIndices(AlongAxis):
    """A call with an index for each element: its place, with the index on the axis, is a place of data."""

    @on_call(UNBOUND, needs=("has_an_axis",))
    def same_rank(self) -> str | None:
        given, wanted = self.indices.ndim, self.source.ndim
        return None if given == wanted else f"indices have {given} axes, data has {wanted}"

    @on_call(UNBOUND, needs=("axis_from_either_end", "has_an_axis", "same_rank"))
    def places_of_data(self) -> str | None:
        return next((f"indices have {given} places on axis {axis}, data has {size}" for axis, (given, size)
                     in enumerate(zip(self.indices.shape, self.source.shape, strict=True))
                     if axis != self.axis and given > size), None)

    @on_call(UNBOUND, needs=("axis_from_either_end", "has_an_axis"))
    def within_bounds(self) -> str | None:
        size = self.source.shape[self.axis]
        return out_of_bounds(self.indices, -size, size)

    @property
    def targets(self) -> np.ndarray:
        """Return the positions in data that are named, row by row, in the shape of indices."""
        index: list[np.ndarray] = list(np.indices(self.indices.shape, sparse=True))
        index[self.axis] = from_the_front(self.indices, self.source.shape[self.axis])
        return np.asarray(row_by_row(self.source.shape)[tuple(index)])
