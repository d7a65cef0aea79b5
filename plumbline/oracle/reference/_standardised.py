"""Standardise elements in exact fractions; only the root is rounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite, isqrt, nan

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import Place, places
from plumbline.oracle.reference._rounding import nearest

Moments = tuple[Fraction, Fraction] | None
"""A mean and a variance, where they are known."""

DIGITS = 2**1200
"""The denominator to whose square a root is computed."""


def root(square: Fraction) -> Fraction:
    """The square root of a number above zero, to some 1,000 bits."""
    return Fraction(isqrt(square.numerator * square.denominator * DIGITS**2), square.denominator * DIGITS)


def moments_of(elements: Sequence[float]) -> Moments:
    """Return the mean, and the mean of the squared distances from it."""
    if not elements or not all(map(isfinite, elements)):
        return None
    exact = [Fraction(element) for element in elements]
    mean = Fraction(sum(exact), len(exact))
    return mean, Fraction(sum((x - mean) ** 2 for x in exact), len(exact))


def runs(x: np.ndarray, axis: int) -> Iterator[tuple[Place, list[Place], Moments]]:
    """Yield the first indices of each run along the axes from `axis` on, the places of its elements, its moments."""
    for begin in places(x.shape[:axis]):
        run = [begin + rest for rest in places(x.shape[axis:])]
        yield begin, run, moments_of([float(x[place]) for place in run])


def epsilon_of(call: Call) -> Fraction | None:
    """The number that is added to the variance, as the 32 bits of the attribute hold it; None if it is not finite."""
    value = float(np.float32(call.attributes.get("epsilon", 1e-5)))
    return Fraction(value) if isfinite(value) else None


def element_of(x: np.generic, moments: Moments, epsilon: Fraction | None, scale: np.generic, bias: np.generic,
               dtype: str = "") -> float:
    """Return a standardised element in a type, by default that of `x`; NaN where it is undefined."""
    numbers = [float(x), float(scale), float(bias)]
    if moments is None or epsilon is None or moments[1] + epsilon <= 0 or not all(map(isfinite, numbers)):
        return nan
    element, factor, added = map(Fraction, numbers)
    return nearest((element - moments[0]) / root(moments[1] + epsilon) * factor + added, dtype or x.dtype.name)
