"""Reference oracle of ONNX Erf: in decimals with digits to spare, rounded once; of integers cut off."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._error_function import error_function
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the input, of a valid call in a version of the operator."""
    def value(x: float) -> float:
        if math.isnan(x) or x == 0:
            return x
        if isinstance(x, int):
            return 0
        exact = error_function(Decimal(x)) if math.isfinite(x) else Decimal(math.copysign(1, x))
        return nearest(Fraction(exact), call.inputs["input"].dtype.name)
    return mapped(call, value, "output")
