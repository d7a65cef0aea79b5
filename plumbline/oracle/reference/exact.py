"""Exact arithmetic of the reference oracles: fractions and special values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

FORMATS = {"bfloat16": (8, -126, 127), "float16": (11, -14, 15), "float32": (24, -126, 127),
           "float64": (53, -1022, 1023)}
"""Bits of the significand, smallest and largest exponent of the normal numbers (IEEE 754-2019, table 3.5)."""

Number = Fraction | float
"""A fraction, or a float that is an infinity or a NaN."""


def number(value: float | np.generic) -> Number:
    """The exact value of an element."""
    plain = float(value)
    return Fraction(plain) if math.isfinite(plain) else plain


def product(left: Number, right: Number) -> Number:
    """The exact product; what IEEE 754 gives where a factor is not finite."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    return _sign(left) * _sign(right)


def total(terms: Iterable[Number]) -> Number:
    """The exact sum, 0 of no terms; NaN of a NaN or of both infinities, else the infinity among the terms."""
    finite, special = Fraction(0), 0.0
    for term in terms:
        if isinstance(term, Fraction):
            finite += term
        else:
            special += term
    return finite if special == 0 else special


def rounded(value: Number, dtype: np.dtype) -> Any:
    """Return the nearest element of a floating-point type, ties to even; an infinity beyond its range."""
    if not isinstance(value, Fraction):
        return dtype.type(value)
    bits, lowest, highest = FORMATS[dtype.name]
    exponent = max(lowest, value.numerator.bit_length() - value.denominator.bit_length() - 1)
    while abs(value) >= Fraction(2) ** (exponent + 1) and exponent <= highest:
        exponent += 1
    quantum = Fraction(2) ** (exponent - bits + 1)
    nearest = round(value / quantum) * quantum
    if abs(nearest) >= Fraction(2) ** (highest + 1):
        return dtype.type(math.inf if value > 0 else -math.inf)
    return dtype.type(float(nearest))


def wrapped(value: int, dtype: np.dtype) -> Any:
    """An integer modulo 2**n, as the n bits of the type."""
    limits = np.iinfo(dtype)
    return dtype.type((value - limits.min) % (limits.max - limits.min + 1) + limits.min)


def _sign(value: Number) -> float:
    """An infinity or a NaN as it is; of a fraction its sign, 0 of zero."""
    if not isinstance(value, Fraction):
        return value
    return float((value > 0) - (value < 0))
