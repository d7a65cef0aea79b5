"""Compute sine and cosine of exact numbers, in decimals with spare digits."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np

DIGITS = 420
"""After the point of pi: 308 of the largest number of float64, and enough for what is left of it."""

TERMS = 30
"""Of a series at a quarter of pi or less."""


def _arctangent(denominator: int) -> int:
    """Return the arctangent of 1 / denominator, times 10**DIGITS."""
    return sum((-1) ** k * 10**DIGITS // ((2 * k + 1) * denominator ** (2 * k + 1)) for k in range(DIGITS))


PI = Decimal(16 * _arctangent(5) - 4 * _arctangent(239)).scaleb(-DIGITS, Context(prec=2 * DIGITS))
"""By Machin's formula."""

COSINE, SINE = ([Decimal((-1) ** k) / factorial(2 * k + odd) for k in range(TERMS, -1, -1)] for odd in (0, 1))
"""The coefficients of the series in the square of the number, the highest first."""


def polynomial(coefficients: list[Decimal], x: Decimal) -> Decimal:
    """Evaluate a polynomial in the arithmetic of the context."""
    return Decimal(np.array(np.polyval(np.array(coefficients), np.array(x))).item())


def sine(value: float, quarters: int = 0) -> Decimal:
    """Return the sine of a finite number and so many right angles, to 60 digits after the point."""
    with localcontext(Context(prec=2 * DIGITS, Emin=-10**6, Emax=10**6)):
        turns = (2 * Decimal(value) / PI).to_integral_value()
        rest = Decimal(value) - turns * PI / 2
    return _series(rest, int(turns) + quarters)


def _series(rest: Decimal, quarters: int) -> Decimal:
    """Return the sine of `rest`, at most an eighth of a turn, and so many right angles."""
    with localcontext(Context(prec=80, Emin=-10**6, Emax=10**6)):
        place = quarters % 4
        square = rest * rest
        found = polynomial(COSINE, square) if place % 2 else rest * polynomial(SINE, square)
        return found if place < 2 else -found


@cache
def sine_of_turn(part: int, whole: int, quarters: int = 0) -> Decimal:
    """The sine of part / whole of a turn and so many right angles, to 60 digits after the point."""
    right = round(4 * Fraction(part, whole))
    rest = 2 * Fraction(part, whole) - Fraction(right, 2)
    with localcontext(Context(prec=2 * DIGITS)):
        angle = PI * rest.numerator / rest.denominator
    return _series(angle, right + quarters)
