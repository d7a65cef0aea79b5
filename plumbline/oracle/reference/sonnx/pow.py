"""Reference oracle of SONNX Pow: exact powers of integers, others in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest, wrapped


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call."""
    a, b = call.inputs["A"], call.inputs["B"]
    c = np.empty(a.shape, dtype=a.dtype)
    for place in places(a.shape):
        if a.dtype.kind == "i":
            base, exponent = int(a[place]), int(b[place])
            power = base ** exponent if exponent < 64 else base ** (64 + exponent % 2)
            c[place] = wrapped(power, a.dtype.name)
        else:
            c[place] = _float(float(a[place]), float(b[place]), a.dtype.name)
    return {"C": c}


def _float(base: float, exponent: float, dtype: str) -> float:
    special = not (math.isfinite(base) and math.isfinite(exponent))
    if special or base == 0 or exponent == 0:
        return _special(base, exponent)
    whole = exponent == math.floor(exponent)
    if base < 0 and not whole:
        return math.nan
    size = nearest(_power(abs(base), exponent), dtype)
    return -size if base < 0 and exponent % 2 == 1 else size


def _power(base: float, exponent: float) -> Fraction:
    digits = context()
    product = digits.multiply(Decimal(exponent), digits.ln(Decimal(base)))
    return fraction(exponential(product))


def _special(base: float, exponent: float) -> float:
    if exponent == 0 or base == 1:
        return 1.0
    if math.isnan(base) or math.isnan(exponent):
        return math.nan
    if math.isinf(exponent):
        if abs(base) == 1:
            return 1.0
        return math.inf if (abs(base) > 1) == (exponent > 0) else 0.0
    odd = exponent == math.floor(exponent) and exponent % 2 == 1
    size = 0.0 if (base == 0) == (exponent > 0) else math.inf
    return math.copysign(size, base) if odd else size
