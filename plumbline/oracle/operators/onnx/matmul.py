"""Judge and generate calls of ONNX MatMul, by `spec/onnx/matmul.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import (
    attributes_of,
    element_type,
    elements_of,
    presence,
    same_type,
    type_of_output,
)
from plumbline.oracle.families.matrices import FLOATS, INTEGERS
from plumbline.oracle.families.stacks import NumpyMatmul
from plumbline.oracle.operator import on_elements


class MatMul(NumpyMatmul):
    """A call of MatMul under one version of its specification."""

    clauses = {"A.C1": "axes_of_a", "B.C1": "axes_of_b", "B.C2": "inner_size", "B.C4": "stacks",
               "Y.C1": "stacked_sizes", "Y.C2": "other_sizes", "Y.U1": "overflow"}
    operator = "MatMul"
    saturation_is_open = True

    no_attribute = attributes_of("signature.C1", {})
    types_1 = element_type("A.C2", "A", FLOATS)
    types_9 = element_type("A.C3", "A", (*FLOATS, *INTEGERS))
    types_13 = element_type("A.C4", "A", ("bfloat16", *FLOATS, *INTEGERS))
    one_type = same_type("B.C3", "A", "B")
    missing = presence("signature.F1")
    y_type = type_of_output("Y.C3", "Y", lambda self: self.dtype)

    @on_elements("Y.F3", "Y", "not what terms that are not finite give")
    def special_value(self, got: np.ndarray) -> np.ndarray:
        return self.not_finite

    @on_elements("Y.F2", "Y", "not the sum of its terms modulo 2 to the number of bits")
    def integer_value(self, got: np.ndarray) -> bool:
        return not self.floating

    y_value = elements_of("Y.F1", "Y", "not the sum of its terms")
