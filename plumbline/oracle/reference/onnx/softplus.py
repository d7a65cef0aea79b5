"""Reference oracle of ONNX Softplus: x, or 0, and the logarithm of 1 and a power, in decimals, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._rounding import nearest

SMALLEST = -1000
"""Below it the value is less than half the smallest number of every type."""


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    def value(x: float) -> float:
        if not x >= SMALLEST:
            return x if math.isnan(x) else 0.0
        if x == math.inf:
            return x
        spare = math.ceil(-x / 2) if x < 0 else 0
        digits = context(spare)
        logarithm = digits.ln(digits.add(1, exponential(-abs(x), spare)))
        return nearest(max(Fraction(x), Fraction(0)) + fraction(logarithm), call.inputs["X"].dtype.name)
    return mapped(call, value)
