"""Error function, normal distribution, sine and cosine, without stated accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.operator import Operator, Unspecified, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.rounding import PI, Wide, smallest_normal

STEPS = 120
"""Of the continued fraction, which is right to 26 digits from 2 on; the series below 2 ends before."""

NEGLIGIBLE = np.finfo(Wide).eps / 1024
"""Share of the sum below which a term of the series is left out, with all later ones, which are smaller."""

BLOCK = 2**13
"""Numbers whose function is computed at once."""

Function = Callable[[np.ndarray], np.ndarray]


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
        """Return ends as far from the value as the argument, whose roundings are those of its largest magnitude."""
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
    """Return the error function in extended precision."""
    return np.asarray(np.sign(x) * _in_parts(np.abs(x), _series, lambda size: 1 - _tail(size)))


def normal_distribution(x: np.ndarray) -> np.ndarray:
    """The probability of at most x, in extended precision and to as many digits where it is small."""
    upper = _in_parts(np.abs(x) / np.sqrt(Wide(2)), lambda size: 1 - _series(size), _tail) / 2
    return np.asarray(np.where(x < 0, upper, 1 - upper))


def _in_parts(x: np.ndarray, low: Function, high: Function) -> np.ndarray:
    """Return `low` of the numbers below 2 and `high` of all others, in blocks that fit a cache."""
    flat, found = x.reshape(-1), np.empty(x.size, Wide)
    for start in range(0, x.size, BLOCK):
        block, values = flat[start:start + BLOCK], found[start:start + BLOCK]
        is_low = block < 2
        values[is_low], values[~is_low] = low(block[is_low]), high(block[~is_low])
    return found.reshape(x.shape)


def _series(x: np.ndarray) -> np.ndarray:
    """Return the error function of `x`, from 0 to 2, in extended precision, by its series (DLMF 7.6.2)."""
    term = 2 / np.sqrt(PI) * x * np.exp(-x * x)
    total, factor = term.copy(), 2 * x * x
    for n in range(1, STEPS // 2):
        term *= factor
        term /= 2 * n + 1
        total += term
        if n % 4 == 0 and (term <= total * NEGLIGIBLE).all():
            break
    return np.asarray(total)


def _tail(x: np.ndarray) -> np.ndarray:
    """1 less the error function, from 2 on (DLMF 7.9.1)."""
    fraction = x.copy()
    for n in range(STEPS, 0, -1):
        np.divide(Wide(n) / 2, fraction, out=fraction)
        fraction += x
    return np.asarray(np.exp(-x * x) / np.sqrt(PI) / fraction)
