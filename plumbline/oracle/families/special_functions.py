"""The error function, the normal distribution, sine and cosine: functions of texts that state nothing of accuracy."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.operator import Operator, Unspecified, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.rounding import PI, Wide, smallest_normal

STEPS = 120
"""Of the continued fraction, which is right to 26 digits from 2 on; the series below 2 ends before."""


class OfSchema(OnnxApproximated):
    """A call whose element types the schema gives."""

    types: ClassVar[dict[str, int]] = {}


class Circular(OfSchema):
    """A call of Sin or Cos."""

    names, output = ("input",), "output"
    range = (-1, 1)
    of_result, of_argument = 8, 4

    def condition(self) -> np.ndarray:
        """Return |X|, of which multiples of pi are subtracted; no slope is above 1."""
        return np.abs(self.x.astype(Wide))

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """As far from the value as the argument, whose roundings are those of its largest magnitude."""
        ends = [part.inputs[self.names[0]].astype(Wide) for part in (low, high)]
        radius = np.maximum(ends[1] - self.x.astype(Wide), self.x.astype(Wide) - ends[0])
        size = np.maximum(*map(np.abs, ends))
        room = self.unit * (self.of_result + self.of_argument * size) + smallest_normal(self.x.dtype)
        within = Ends.around(self.value_of, radius + room).where(np.isfinite(size))
        most = 1 + 2 * self.unit
        return {self.output: Ends(np.maximum(within.low, -most), np.minimum(within.high, most))}

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
