"""ONNX GatherElements: the definition of `spec/onnx/gatherelements.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within, either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indices import INDEX_FLAGS, INDEX_TYPES, a_list_of_indices, from_the_front, out_of_bounds
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.size_classes import Named


class GatherElements(Movement):
    """A call of GatherElements under one version of the text."""

    flag_notes = {**INDEX_FLAGS, "negative-axis": "axis counts from the back.",
                  "smaller": "indices have fewer places than data on an axis other than axis."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F2", "output", "not the element of data at that index")
    nan = bits_of_nan("output.U1")

    @property
    def indices(self) -> np.ndarray:
        """The input."""
        return self.inputs["indices"]

    @property
    def axis(self) -> int:
        """Counted from the front."""
        axis = int(self.attribute("axis"))
        return axis + self.source.ndim if axis < 0 else axis

    @on_call("data.C3")
    def has_an_axis(self) -> str | None:
        return None if self.source.ndim else "data has no axes"

    @on_call("axis.C2", needs=("data.C3",))
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, 0, -self.source.ndim, self.source.ndim - 1)

    @on_call("indices.C2", needs=("data.C3",))
    def same_rank(self) -> str | None:
        given, wanted = self.indices.ndim, self.source.ndim
        return None if given == wanted else f"indices have {given} axes, data has {wanted}"

    @on_call("indices.C3", needs=("axis.C2", "data.C3", "indices.C2"))
    def places_of_data(self) -> str | None:
        return next((f"indices have {given} places on axis {axis}, data has {size}" for axis, (given, size)
                     in enumerate(zip(self.indices.shape, self.source.shape, strict=True))
                     if axis != self.axis and given > size), None)

    @on_call("indices.C4", needs=("axis.C2", "data.C3"))
    def within_bounds(self) -> str | None:
        size = self.source.shape[self.axis]
        return out_of_bounds(self.indices, -size, size)

    def places(self) -> np.ndarray:
        """The place of the index, with the index on the axis."""
        index: list[np.ndarray] = list(np.indices(self.indices.shape, sparse=True))
        index[self.axis] = from_the_front(self.indices, self.source.shape[self.axis])
        return np.asarray(row_by_row(self.source.shape)[tuple(index)])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Any axis of any shape, with indices of as many places or fewer, and any number on the axis."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        attributes = {} if axis == 0 and choose((True, False)) else {
            "axis": either_end(choose, axis, len(shape), back=True)}
        data = choose.tensor(shape, a_type(choose, cls.types_of("data", version)), "bits")
        sizes = [size if choose(Named("alike", (True, False))) else choose(range(size + 1)) for size in shape]
        if not choose(Named("alike", (True, False))):
            sizes[axis] = choose((3, 1, 17, 0))
        if not shape[axis]:
            sizes[axis] = 0
        return Call("GatherElements", attributes, {"data": data, "indices": a_list_of_indices(
            choose, tuple(sizes), choose(INDEX_TYPES), shape[axis], back=True)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"negative-axis": self.attribute("axis") < 0, "negative-index": bool((self.indices < 0).any()),
                "smaller": self.indices.size < self.source.size}
