"""Round exact fractions to floating-point types, to nearest, ties to even."""

from __future__ import annotations

import math
from fractions import Fraction

FORMATS = {"float16": (11, -14, 15), "bfloat16": (8, -126, 127), "float32": (24, -126, 127),
           "float64": (53, -1022, 1023)}
"""Digits of the significand, and the lowest and the highest exponent of a normal number (IEEE 754-2019, table 3.5)."""


def nearest(exact: Fraction, dtype: str, *, negative_zero: bool = False) -> float:
    """Return the number of `dtype` nearest to `exact`, as a Python float.

    A result of zero is negative where `exact` is, or where it is zero and `negative_zero` says so. Beyond half a unit
    above the largest finite number the result is an infinity (IEEE 754-2019, 4.3.1)."""
    digits, lowest, highest = FORMATS[dtype]
    negative = exact < 0 or (exact == 0 and negative_zero)
    size = abs(exact)
    exponent = min(max(lowest, size.numerator.bit_length() - size.denominator.bit_length()), highest)
    if size < Fraction(2) ** exponent and exponent > lowest:
        exponent -= 1
    unit = Fraction(2) ** (exponent - digits + 1)
    count, rest = divmod(size, unit)
    if rest > unit / 2 or (rest == unit / 2 and count % 2 == 1):
        count += 1
    if count * unit >= Fraction(2) ** (highest + 1):
        return -math.inf if negative else math.inf
    return math.copysign(float(count * unit), -1 if negative else 1)


def wrapped(exact: int, dtype: str) -> int:
    """The integer of `dtype` that differs from `exact` by a multiple of 2 to the number of its bits."""
    bits = int(dtype.removeprefix("u").removeprefix("int"))
    lowest = 0 if dtype.startswith("u") else -(1 << (bits - 1))
    return (exact - lowest) % (1 << bits) + lowest
