"""Judge and generate calls of ONNX GatherElements, by `spec/onnx/gatherelements.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indexed import ElementIndices
from plumbline.oracle.families.indices import INDEX_FLAGS, INDEX_TYPES, a_list_of_indices
from plumbline.oracle.families.movement import bits_of_nan
from plumbline.oracle.operator import Choose
from plumbline.oracle.operators.onnx.addresses import ELEMENT_INDICES
from plumbline.oracle.size_classes import Named


class GatherElements(ElementIndices):
    """A call of GatherElements under one version of its specification."""

    clauses = ELEMENT_INDICES
    flag_notes = {**INDEX_FLAGS, "negative-axis": "axis counts from the back.",
                  "smaller": "indices have fewer places than data on an axis other than axis."}

    value = elements_of("output.F2", "output", "not the element of data at that index")
    nan = bits_of_nan("output.U1")

    def places(self) -> np.ndarray:
        """Return the positions that the indices name."""
        return self.targets

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with indices of as many places or fewer, and any number on the axis."""
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
