"""Compute discrete Fourier transforms by their formula, in exact arithmetic.

Cosines and sines have 60 digits; results are rounded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from plumbline.oracle.reference._circular import sine_of_turn
from plumbline.oracle.reference._rounding import nearest

UNIT, DIGITS = 2**2200, 10**60
"""Numbers are counted in the reciprocal of the one, factors in that of the other."""

Complex = tuple[Fraction | float, Fraction | float]


def transform(x: Sequence[Complex], length: int, inverse: bool, k: int, dtype: str) -> Complex:
    """Return bin `k` of the transform of `x` with zeros up to `length`; NaN if not all are finite.

    Numbers are pairs of real and imaginary part; `dtype` is the type that they are rounded to."""
    if not all(isinstance(part, Fraction) or math.isfinite(part) for number in x[:length] for part in number):
        return math.nan, math.nan
    real = imaginary = 0
    for n in range(min(length, len(x))):
        a, b = (int(Fraction(part) * UNIT) for part in x[n])
        turn = k * n % length
        c, s = (int(sine_of_turn(turn, length, quarters) * DIGITS) for quarters in (1, 0))
        if not inverse:
            s = -s
        real += a * c - b * s
        imaginary += a * s + b * c
    scale = UNIT * DIGITS * (length if inverse else 1)
    return nearest(Fraction(real, scale), dtype), nearest(Fraction(imaginary, scale), dtype)
