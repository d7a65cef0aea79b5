"""Reference oracle of ONNX Gelu: in decimals, 20 digits of the factor of x, rounded once. NaN of NaN, -infinity."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._circular import PI
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._error_function import EDGE, complement, error_function
from plumbline.oracle.reference._exponentials import context, exponential
from plumbline.oracle.reference._rounding import nearest

DIGITS = context()

FARTHEST = Decimal(100)
"""Beyond it 1 and the error function of the negative number are 0 to 4,000 digits, below every number of every type."""


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    is_exact = call.attributes.get("approximate", "none") == "none"

    def value(x: float) -> float:
        if not math.isfinite(x):
            return x if x > 0 else math.nan
        factor = _with_erf(Decimal(x)) if is_exact else _with_tanh(Decimal(x))
        return nearest(Fraction(x) * Fraction(factor) / 2, call.inputs["X"].dtype.name)
    return mapped(call, value)


def _with_erf(x: Decimal) -> Decimal:
    z = DIGITS.divide(x, DIGITS.sqrt(Decimal(2)))
    return complement(min(-z, FARTHEST)) if z <= -EDGE else DIGITS.add(1, error_function(z))


def _with_tanh(x: Decimal) -> Decimal:
    """1 + tanh(z), which is 2 / (1 + e**(-2 z))."""
    cube = DIGITS.multiply(Decimal("0.044715"), DIGITS.power(x, 3))
    z = DIGITS.multiply(DIGITS.sqrt(DIGITS.divide(2, PI)), DIGITS.add(x, cube))
    return DIGITS.divide(2, DIGITS.add(1, exponential(DIGITS.multiply(-2, z))))
