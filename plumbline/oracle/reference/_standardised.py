"""Standardise elements in exact fractions; only the root is rounded."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

DIGITS = 2**1200
"""The denominator to whose square a root is computed."""


def root(square: Fraction) -> Fraction:
    """The square root of a number above zero, to some 1,000 bits."""
    return Fraction(isqrt(square.numerator * square.denominator * DIGITS**2), square.denominator * DIGITS)


def moments(elements: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the mean, and the mean of the squared distances from it."""
    mean = Fraction(sum(elements), len(elements))
    return mean, Fraction(sum((x - mean) ** 2 for x in elements), len(elements))


def standardised(x: Fraction, mean: Fraction, variance: Fraction, epsilon: Fraction, scale: Fraction,
                 bias: Fraction) -> Fraction | None:
    """The element; None where the root is not of a number above zero."""
    return None if variance + epsilon <= 0 else (x - mean) / root(variance + epsilon) * scale + bias
