"""Compute exponentials and logarithms in decimals with spare digits.

The functions of `decimal` are rounded correctly to the digits of their context (General Decimal Arithmetic 1.70, exp
and ln), so that what is rounded again to a type of at most 53 bits is right but where the exact value is as near to the
middle of two numbers as the spare digits go.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

DIGITS = 60
EDGE = 12_000
"""Beyond it the exponential is above the largest number of every type, or below half its smallest."""


def context(spare: int = 0) -> Context:
    """Return decimal arithmetic with `spare` more digits than DIGITS."""
    return Context(prec=DIGITS + spare, Emin=-10**6, Emax=10**6)


def exponential(value: float | Decimal, spare: int = 0) -> Decimal:
    """e to the power of a finite number; as that of EDGE beyond it."""
    return context(spare).exp(Decimal(max(-EDGE, min(EDGE, value))))


def logarithm(value: float) -> Decimal:
    """Return the logarithm of a positive finite number."""
    return context().ln(Decimal(value))


def spare(value: float) -> int:
    """Return the digits that a difference of e to the power of a number and 1 loses."""
    return 0 if value == 0 else max(0, -math.floor(math.log10(abs(value)))) * 2


def fraction(value: Decimal) -> Fraction:
    """Return a Decimal as a Fraction."""
    return Fraction(value)
