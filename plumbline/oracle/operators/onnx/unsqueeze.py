"""Judge and generate calls of ONNX Unsqueeze, by `spec/onnx/unsqueeze.md`."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integers
from plumbline.oracle.families.axes import either_end, within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import Types, a_type, moved, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified


class _Insertion(Movement):
    """The part that ONNX and its profile SONNX share."""

    output = "expanded"
    types: ClassVar[Types]
    flag_notes = {**Movement.flag_notes, "negative-axis": "an entry of axes counts from the back.",
                  "one-by-one": "inserting the axes one after another, in the order given, makes another shape or "
                                "none, where all of them are axes of the output."}

    @property
    def as_input(self) -> bool:
        """True if axes are an input."""
        return self.version >= 13

    @cached_property
    def axes(self) -> Integers:
        """The axes as given, a scalar as a list of one; None where they are no list of ints."""
        if not self.as_input:
            return integers(self.attributes.get("axes"))
        axes = self.inputs["axes"]
        return tuple(int(axis) for axis in axes.reshape(-1)) if axes.dtype == np.int64 else None

    @property
    def rank(self) -> int:
        """The rank of the output."""
        return self.source.ndim + len(self.axes)

    @property
    def inserted(self) -> list[int]:
        """The axes counted from the front."""
        return [axis + self.rank if axis < 0 else axis for axis in self.axes]

    def places(self) -> np.ndarray:
        """Return the positions in row-major order, in the new shape."""
        holdable(self.output, (1,) * self.rank)
        return np.expand_dims(row_by_row(self.source.shape), tuple(self.inserted))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: up to three axes anywhere, in any order."""
        shape = a_shape(choose)
        count = choose((1, 2, 3, 0) if version >= 13 else (1, 2, 3), (4, 3, 2, 0.5)[:4 if version >= 13 else 3])
        rank, axes = len(shape) + count, list[int]()
        for _ in range(count):
            free = [axis for axis in range(rank) if axis not in axes and axis - rank not in axes]
            axes.append(either_end(choose, choose(free), rank, version >= 11))
        data = choose.tensor(shape, a_type(choose, types_at(cls.types, version)), "bits")
        if version < 13:
            return Call("Unsqueeze", {"axes": axes}, {"data": data})
        return Call("Unsqueeze", {}, {"data": data, "axes": np.array(axes, dtype=np.int64)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axes = self.axes or ()
        return {**super().flags(), "negative-axis": any(axis < 0 for axis in axes),
                "one-by-one": bool(axes) and not self.inserts_one_by_one()}

    def inserts_one_by_one(self) -> bool:
        """Return True if inserting one axis after another, as given, makes the shape of the output."""
        found = np.empty(self.source.shape, dtype=bool)
        try:
            for axis in self.axes:
                found = np.expand_dims(found, axis)
            return found.shape == self.positions.shape
        except (ValueError, OverflowError):  # no axis of it, or beyond what numpy reads
            return False

    def out_of_range(self, lowest: int) -> str | None:
        """Why an entry is not from `lowest` to the last axis."""
        return within("axes", self.axes, lowest, self.rank - 1)

    def repeated(self) -> str | None:
        """Why two entries stand for one axis."""
        return None if len(set(self.inserted)) == len(self.axes) else f"axes {list(self.axes)} name an axis twice"


class Unsqueeze(_Insertion):
    """A call of Unsqueeze under one version of its specification."""

    types = {1: moved(1), **{version: moved(version) for version in (13, 21, 23, 24, 25)}}

    shape = copied_shape("expanded.C1")
    value = elements_of("expanded.F1", "expanded", "not the element of data at that position")
    nan = bits_of_nan("expanded.U1")

    @on_call("axes.C1")
    def axes_are_given(self) -> str | None:
        return None if self.axes is not None else "axes are not given as integers"

    @on_call("axes.C2", needs=("axes.C1",))
    def from_the_front(self) -> str | None:
        return self.out_of_range(0)

    @on_call("axes.C3", needs=("axes.C1",))
    def from_either_end(self) -> str | None:
        return self.out_of_range(-self.rank)

    @on_call("axes.C4", needs=("axes.C1", "axes.C2", "axes.C3"))
    def no_duplicates(self) -> str | None:
        return self.repeated()

    @on_call("axes.C5")
    def at_most_one_axis(self) -> str | None:
        rank = self.inputs["axes"].ndim
        return None if rank <= 1 else f"axes has {rank} axes"

    @on_call("axes.C6")
    def one_axis(self) -> str | None:
        rank = self.inputs["axes"].ndim
        return None if rank == 1 else f"axes has {rank} axes"

    @unspecified("axes.U1", refusal=True)
    def scalar(self) -> Unspecified | None:
        return Unspecified.refusal() if self.inputs["axes"].ndim == 0 else None
