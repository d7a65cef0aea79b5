"""ONNX ScatterElements: the definition of `spec/onnx/scatterelements.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within, either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indices import INDEX_TYPES, from_the_front, out_of_bounds
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.families.scattering import Scattering
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import SCATTERING
from plumbline.oracle.size_classes import Named


class ScatterElements(Scattering):
    """A call of ScatterElements under one version of the text."""

    clauses = SCATTERING
    flag_notes = {**Scattering.flag_notes, "negative-axis": "axis counts from the back.",
                  "smaller": "indices have fewer places than data on an axis other than axis."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F2", "output", "neither the element of data nor what its updates make of it")
    bits = bits_of_nan("output.U1")

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

    @on_call("updates.C2")
    def shape_of_updates(self) -> str | None:
        given, wanted = self.updates.shape, self.indices.shape
        return None if given == wanted else f"updates have shape {given}, indices {wanted}"

    @property
    def targets(self) -> np.ndarray:
        """The place of the index, with the index on the axis."""
        index: list[np.ndarray] = list(np.indices(self.indices.shape, sparse=True))
        index[self.axis] = from_the_front(self.indices, self.source.shape[self.axis])
        return np.asarray(row_by_row(self.source.shape)[tuple(index)])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Any axis of any shape, with indices of as many places or fewer, most of them another one each."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        given = {} if axis == 0 and choose((True, False)) else {"axis": either_end(choose, axis, len(shape), back=True)}
        sizes = [size if choose(Named("alike", (True, False))) else choose(range(size + 1)) for size in shape]
        if not choose(Named("alike", (True, False))):
            sizes[axis] = choose((3, 1, 17, 0))
        sizes[axis] = sizes[axis] if shape[axis] else 0
        attributes, data, updates = cls.operands(choose, version, shape, tuple(sizes), sizes[axis])
        several = choose((False, True), (1, 3) if "reduction" in attributes else (8, 1))
        if several or sizes[axis] > shape[axis]:
            indices = cls.positions_of(choose, tuple(sizes), shape[axis], several=True)
        else:
            along = cls.positions_of(choose, (sizes[axis],), shape[axis], several=False)
            turns = sum(np.indices(sizes, sparse=True)) if sizes[axis] else np.zeros(sizes, np.int64)
            indices = (along.reshape([-1 if at == axis else 1 for at in range(len(shape))]) + turns - np.arange(
                sizes[axis]).reshape([-1 if at == axis else 1 for at in range(len(shape))])) % max(shape[axis], 1)
        if choose((False, True)):
            indices = np.where(np.arange(indices.size).reshape(indices.shape) % 3 == 0, indices - shape[axis], indices)
        return Call("ScatterElements", {**given, **attributes}, {
            "data": data, "indices": indices.astype(choose(INDEX_TYPES)), "updates": updates})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "negative-axis": self.attribute("axis") < 0,
                "smaller": self.indices.size < self.source.size}
