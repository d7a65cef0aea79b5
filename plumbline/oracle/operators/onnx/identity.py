"""Judge and generate calls of ONNX Identity, by `spec/onnx/identity.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, row_by_row
from plumbline.oracle.operator import Choose


class Identity(Movement):
    """A call of Identity under one version of its specification."""

    value = elements_of("output.F1", "output", "not the element of input at that position")
    nan = bits_of_nan("output.U1")

    def places(self) -> np.ndarray:
        """Return the positions of input."""
        return row_by_row(self.source.shape)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape."""
        dtype = a_type(choose, cls.types_of("input", version))
        return Call("Identity", {}, {"input": choose.tensor(a_shape(choose), dtype, "bits")})
