"""Judge and generate calls of ONNX Gather, by `spec/onnx/gather.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indexed import AlongAxis
from plumbline.oracle.families.indices import INDEX_FLAGS, INDEX_TYPES, a_list_of_indices, from_the_front, out_of_bounds
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import ALONG_AXIS
from plumbline.oracle.size_classes import WIDE_ROWS, Named


class Gather(AlongAxis):
    """A call of Gather under one version of its specification."""

    clauses = ALONG_AXIS
    wide = {**WIDE_ROWS, "axis": 0, "indices": (3,)}
    flag_notes = {**Movement.flag_notes, **INDEX_FLAGS, "negative-axis": "axis counts from the back.",
                  "scalar-index": "indices have no axes, so that output has one axis less than data."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F1", "output", "not the element of data at that index")
    nan = bits_of_nan("output.U1")

    @on_call("indices.C2", needs=("axis.C2", "data.C3"))
    def indices_from_the_front(self) -> str | None:
        size = self.source.shape[self.axis]
        return out_of_bounds(self.inputs["indices"], 0, size)

    @on_call("indices.C3", needs=("axis.C2", "data.C3"))
    def indices_from_either_end(self) -> str | None:
        size = self.source.shape[self.axis]
        return out_of_bounds(self.inputs["indices"], -size, size)

    def places(self) -> np.ndarray:
        """Return the positions of the slices."""
        indices = from_the_front(self.inputs["indices"], self.source.shape[self.axis])
        return np.take(row_by_row(self.source.shape), indices, axis=self.axis)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with up to 17 indices in up to three axes."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        attributes = {} if axis == 0 and choose((True, False)) else {
            "axis": either_end(choose, axis, len(shape), back=True)}
        data = choose.tensor(shape, a_type(choose, cls.types_of("data", version)), "bits")
        sizes = choose(Named("indices", ((3,), (), (1,), (2, 2), (17,), (1, 2, 3), (0,), (2, 0)) if shape[axis] else
                             ((0,), (2, 0))))
        return Call("Gather", attributes, {"data": data, "indices": a_list_of_indices(
            choose, sizes, choose(INDEX_TYPES), shape[axis], back=version >= 11)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        indices = self.inputs["indices"]
        return {**super().flags(), "negative-axis": self.attribute("axis") < 0,
                "negative-index": bool((indices < 0).any()), "scalar-index": indices.ndim == 0}
