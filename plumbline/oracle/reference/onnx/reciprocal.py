"""Reference oracle of ONNX Reciprocal: the exact quotient. Of zero, which the text leaves open, an infinity."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    def value(x: float) -> float:
        if math.isnan(x):
            return x
        if x == 0 or math.isinf(x):
            return math.copysign(math.inf if x == 0 else 0, x)
        return nearest(1 / Fraction(x), call.inputs["X"].dtype.name)
    return mapped(call, value)
