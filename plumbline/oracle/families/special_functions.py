"""The error function, the normal distribution, sine and cosine: functions of texts that state nothing of accuracy.

Formulas for them subtract what is nearly equal: 1 and an exponential, or the element and a multiple of pi. Four
roundings of such a number, in the type of the element, explain an answer however small the value is.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from plumbline.oracle.families.approximations import ROUNDINGS, OnnxApproximated
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.rounding import PRECISION, Wide

PI = Wide("3.14159265358979323846264338327950288")
STEPS = 120
"""Of the continued fraction, which is right to 26 digits from 2 on; the series below 2 ends before."""


class OfSchema(OnnxApproximated):
    """A call whose element types the schema gives."""

    types: ClassVar[dict[str, int]] = {}

    @property
    def roundings(self) -> Wide:
        """Four of a number of 1."""
        return ROUNDINGS * Wide(float(PRECISION[self.x.dtype.name][0]))


class Circular(OfSchema):
    """A call of Sin or Cos."""

    names, output = ("input",), "output"
    range = (-1, 1)

    @property
    def least(self) -> np.ndarray:
        """Of the element, of which multiples of pi are subtracted."""
        return np.asarray(self.roundings * np.where(self.approximated, np.abs(self.x.astype(Wide)), 0))

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return Unspecified.of(~np.isfinite(self.x.astype(Wide)), self.output)


def error_function(x: np.ndarray) -> np.ndarray:
    """In extended precision."""
    size = np.abs(x)
    return np.asarray(np.sign(x) * np.where(size < 2, _series(np.minimum(size, 2)), 1 - _tail(np.maximum(size, 2))))


def normal_distribution(x: np.ndarray) -> np.ndarray:
    """The probability of at most x, in extended precision and to as many digits where it is small."""
    size = np.abs(x) / np.sqrt(Wide(2))
    upper = np.where(size < 2, 1 - _series(np.minimum(size, 2)), _tail(np.maximum(size, 2))) / 2
    return np.asarray(np.where(x < 0, upper, 1 - upper))


def _series(x: np.ndarray) -> np.ndarray:
    """The error function from 0 to 2 (DLMF 7.6.2)."""
    term = total = 2 / np.sqrt(PI) * x * np.exp(-x * x)
    for n in range(1, STEPS // 2):
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    return np.asarray(total)


def _tail(x: np.ndarray) -> np.ndarray:
    """1 less the error function, from 2 on (DLMF 7.9.1)."""
    fraction = x
    for n in range(STEPS, 0, -1):
        fraction = x + Wide(n) / 2 / fraction
    return np.asarray(np.exp(-x * x) / np.sqrt(PI) / fraction)
