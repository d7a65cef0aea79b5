"""Judge and generate calls of ONNX MatMul, by `spec/onnx/matmul.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.stacks import NumpyMatmul
from plumbline.oracle.operator import on_elements


class MatMul(NumpyMatmul):
    """A call of MatMul under one version of its specification."""

    clauses = {"A.C1": "axes_of_a", "B.C1": "axes_of_b", "B.C2": "inner_size", "B.C4": "stacks",
               "Y.C1": "stacked_sizes", "Y.C2": "other_sizes", "Y.U1": "overflow"}
    operator = "MatMul"
    saturation_is_open = True

    y_type = type_of_output("Y.C3", "Y", lambda self: self.dtype)

    @on_elements("Y.F3", "Y", "not what terms that are not finite give")
    def special_value(self, got: np.ndarray) -> np.ndarray:
        return self.not_finite

    @on_elements("Y.F2", "Y", "not the sum of its terms modulo 2 to the number of bits")
    def integer_value(self, got: np.ndarray) -> bool:
        return not self.floating

    y_value = elements_of("Y.F1", "Y", "not the sum of its terms")
