"""Judge and generate calls of SONNX Mul, by `spec/sonnx/mul.md`."""

from __future__ import annotations

from operator import mul

import numpy as np

from plumbline.oracle.families.arithmetic import SonnxArithmetic
from plumbline.oracle.operator import on_elements
from plumbline.oracle.operators.sonnx.addresses import ARITHMETIC, PAIR


class Mul(SonnxArithmetic):
    """A call of Mul."""

    clauses = ARITHMETIC | PAIR
    operator = "Mul"
    operation = np.multiply
    exactly = mul

    @on_elements("float.C.F2", "C", "not what IEEE 754 gives for special values")
    def special(self, got: np.ndarray) -> np.ndarray:
        a, b = self.operands
        return ~self.finite | (a == 0) | (b == 0) if self.floats else np.zeros(got.shape, bool)
