"""Judge and generate calls of ONNX ScatterElements, by `spec/onnx/scatterelements.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indexed import ElementIndices
from plumbline.oracle.families.indices import INDEX_TYPES
from plumbline.oracle.families.movement import bits_of_nan
from plumbline.oracle.families.scattering import Scattering
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import ELEMENT_INDICES, SCATTERING
from plumbline.oracle.size_classes import Named


class ScatterElements(ElementIndices, Scattering):
    """A call of ScatterElements under one version of its specification."""

    clauses = SCATTERING | ELEMENT_INDICES
    flag_notes = {**Scattering.flag_notes, "negative-axis": "axis counts from the back.",
                  "smaller": "indices have fewer places than data on an axis other than axis."}

    value = elements_of("output.F2", "output", "neither the element of data nor what its updates make of it")
    bits = bits_of_nan("output.U1")

    @on_call("updates.C2")
    def shape_of_updates(self) -> str | None:
        given, wanted = self.updates.shape, self.indices.shape
        return None if given == wanted else f"updates have shape {given}, indices {wanted}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with as many indices or fewer, mostly distinct ones."""
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
