"""Judge and generate calls of ONNX Squeeze, by `spec/onnx/squeeze.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end, within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, Unspecified, disputed, on_call, unspecified


class Squeeze(Movement):
    """A call of Squeeze under one version of its specification."""

    output = "squeezed"
    flag_notes = {**Movement.flag_notes, "negative-axis": "an entry of axes counts from the back.",
                  "default-axes": "axes are absent, and all axes of size 1 are removed.",
                  "no-axes": "axes are an empty list, which removes nothing; some runtimes take it for absent axes.",
                  "axes-out-of-order": "axes, counted from the front, do not rise."}

    shape = copied_shape("squeezed.C1")
    value = elements_of("squeezed.F1", "squeezed", "not the element of data at that position")
    nan = bits_of_nan("squeezed.U1")

    @cached_property
    def axes(self) -> tuple[int, ...] | None:
        """The axes as given; None where they are absent."""
        given = self.attributes.get("axes") if self.version < 13 else self.inputs.get("axes")
        return None if given is None else tuple(int(axis) for axis in np.asarray(given).reshape(-1))

    @property
    def removed(self) -> set[int]:
        """The axes that squeezed does not have, counted from the front."""
        sizes, rank = self.source.shape, self.source.ndim
        if self.axes is None:
            return {axis for axis, size in enumerate(sizes) if size == 1}
        return {axis + rank if axis < 0 else axis for axis in self.axes}

    @on_call("axes.C2")
    def from_the_front(self) -> str | None:
        return within("axes", self.axes or (), 0, self.source.ndim - 1)

    @on_call("axes.C3")
    def from_either_end(self) -> str | None:
        return within("axes", self.axes or (), -self.source.ndim, self.source.ndim - 1)

    @on_call("axes.C4", needs=("axes.C2", "axes.C3"))
    def of_size_1(self) -> str | None:
        return next((f"axis {axis} has size {self.source.shape[axis]}" for axis in sorted(self.removed)
                     if self.source.shape[axis] != 1), None)

    @on_call("axes.C5")
    def at_most_one_axis(self) -> str | None:
        rank = self.inputs["axes"].ndim if self.axes is not None else 1
        return None if rank <= 1 else f"axes has {rank} axes"

    @on_call("axes.C6")
    def one_axis(self) -> str | None:
        rank = self.inputs["axes"].ndim if self.axes is not None else 1
        return None if rank == 1 else f"axes has {rank} axes"

    @unspecified("axes.U1", refusal=True)
    def axis_twice(self) -> Unspecified | None:
        return Unspecified.refusal() if self.axes is not None and len(self.removed) < len(self.axes) else None

    @unspecified("axes.U2", refusal=True)
    def scalar(self) -> Unspecified | None:
        return Unspecified.refusal() if self.axes is not None and self.inputs["axes"].ndim == 0 else None

    @disputed("squeezed.E1")
    def out_of_order(self) -> Unspecified | None:
        other = _InOneGo(self.call, self.version)
        return None if self.axes is None or other.removed == self.removed else Unspecified({}, (other,))

    def places(self) -> np.ndarray:
        """Return the positions in row-major order, in the new shape."""
        return row_by_row(self.source.shape).squeeze(tuple(self.removed))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: up to three axes of size 1 among those of any shape, all or some of them named, in any order."""
        shape, places = list(a_shape(choose)), list[int]()
        for _ in range(choose((1, 2, 3, 0), (4, 3, 2, 1))):
            place = choose(range(len(shape) + 1))
            places = [axis + (axis >= place) for axis in places] + [place]
            shape.insert(place, 1)
        data = choose.tensor(shape, a_type(choose, cls.types_of("data", version)), "bits")
        if choose((False, True), (3, 1)):
            return Call("Squeeze", {}, {"data": data})
        named = [place for place in places if choose((True, False), (4, 1))]
        axes = [either_end(choose, place, len(shape), version >= 11) for place in named]
        axes += axes[:choose((0, 1), (9, 1))]  # twice
        if version < 13:
            return Call("Squeeze", {"axes": axes}, {"data": data})
        scalar = version < 23 and len(axes) == 1 and choose((False, True), (9, 1))
        return Call("Squeeze", {}, {"data": data, "axes": np.array(axes[0] if scalar else axes, dtype=np.int64)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axes = [axis + self.source.ndim if axis < 0 else axis for axis in self.axes or ()]
        return {**super().flags(), "negative-axis": any(axis < 0 for axis in self.axes or ()),
                "default-axes": self.axes is None, "no-axes": self.axes == (),
                "axes-out-of-order": axes != sorted(axes)}


class _InOneGo(Squeeze):
    """A call read as shape inference does: entries are looked for in one go through the axes."""

    @property
    def removed(self) -> set[int]:
        """Up to the first entry that stands before the one ahead of it in the list."""
        named, found = list(self.axes or ()), set[int]()
        for axis in range(self.source.ndim):
            if named and named[0] == axis:
                found.add(named.pop(0))
        return found
