"""The exponential function, the logarithm, and functions made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.approximations import Approximated
from plumbline.oracle.families.reading_symptoms import infinity_for_nan
from plumbline.oracle.operator import Choose, Operator
from plumbline.oracle.rounding import PRECISION, Wide

EXP_OF_MOST = Wide(2.4061436e38)
"""The result of vectorised code that clamps the argument to 88.3762626647949, so that 127 is the largest exponent."""


def _argument_clamped(definition: Operator, entry: Divergence) -> bool:
    """Elements are e to the power of 88.376, where they should be more, or NaN."""
    expected, got = np.asarray(entry.expected).astype(Wide), np.asarray(entry.got).astype(Wide)
    return bool(np.all((np.abs(got / EXP_OF_MOST - 1) < 1e-6) & ~(expected < got)))


def _infinite_below_the_end(definition: Operator, entry: Divergence) -> bool:
    """Elements are infinite where they should be above half of the largest number."""
    expected = np.asarray(entry.expected)
    half = float(PRECISION[expected.dtype.name][2]) / 2
    return bool(np.all((expected > half) & np.isposinf(np.asarray(entry.got))))


class Exponential(Approximated):
    """A call of Exp."""

    symptoms = {**Approximated.symptoms, "argument-clamped": _argument_clamped, "infinity-for-nan": infinity_for_nan,
                "infinite-below-the-end": _infinite_below_the_end}

    operator = "Exp"
    turns = ()
    function = staticmethod(np.exp)
    known = (-np.inf, 0, np.inf)
    range = (0, np.inf)
    of_result = 6

    def condition(self) -> np.ndarray:
        """Return |X| E."""
        return np.asarray(np.abs(self.x.astype(Wide)) * self.value_of)

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Draw an input; sometimes just below the logarithm of the largest number, where some overflow."""
        found = super().drawn(choose, name, shape, dtype)
        if not choose((False, True), (4, 1)):
            return found
        below = np.log(Wide(float(PRECISION[dtype][2]))) * (1 - np.arange(found.size) % 16 * Wide(2)**-11)
        return np.asarray(below.reshape(shape).astype(found.dtype))


def _of_smallest_normal(definition: Operator, entry: Divergence) -> bool:
    """Elements are the logarithm of the smallest normal number of float32."""
    return bool(np.all(np.abs(np.asarray(entry.got).astype(Wide) - np.log(Wide(2)**-126)) < 1e-4))


def _of_one_subnormal(definition: Any, entry: Any) -> bool:
    """Elements are the logarithm of 2**-150, whichever subnormal number of float32 X is."""
    if entry.where is None or definition.x.dtype != np.float32:
        return False
    x = definition.x[tuple(entry.where.T)].reshape(-1)
    return bool(np.all((np.abs(x) < np.finfo(np.float32).smallest_normal) & (entry.got == np.float32(-103.972077))))


def _of_bits(definition: Operator, entry: Divergence) -> bool:
    """Elements are the logarithm by exponent and fraction of float32, whatever the sign, of 0, NaN and infinity too."""
    assert isinstance(definition, Logarithm) and entry.where is not None
    with np.errstate(all="ignore"):
        bits = definition.x[tuple(entry.where.T)].astype(np.float32).view(np.uint32).astype(np.int64)
    by_bits = ((bits >> 23 & 255) - 127) * np.log(Wide(2)) + np.log1p((bits & 0x7fffff) * Wide(2)**-23)
    return bool(np.all(np.abs(np.asarray(entry.got).astype(Wide) - by_bits) < 1e-4))


class Logarithm(Approximated):
    """A call of Log."""

    symptoms = {**Approximated.symptoms, "of-smallest-normal": _of_smallest_normal,
                "of-one-subnormal": _of_one_subnormal, "of-bits": _of_bits}

    operator = "Log"
    turns = ()
    function = staticmethod(np.log)
    known = (0, 1, np.inf)
    of_result, of_argument, of_one = 6, 1, 4

    def condition(self) -> np.ndarray:
        """Return 1."""
        return np.ones(self.x.shape, Wide)

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are not finite, or have the sign that the logarithm has not."""
        return np.asarray(~np.isfinite(got) | np.where(self.x > 1, got < 0, got > 0))

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Draw an input: magnitudes more often than numbers of both signs."""
        found = super().drawn(choose, name, shape, dtype)
        return np.asarray(np.abs(found) if choose((True, False), (4, 1)) else found)


def _near_an_end(definition: Operator, entry: Divergence) -> bool:
    """Elements are within a millionth of 0 or 1, and neither."""
    got = np.asarray(entry.got)
    off = np.minimum(np.abs(got), np.abs(1 - got))
    return bool(np.all((off > 0) & (off < 1e-6)))


class Logistic(Approximated):
    """A call of Sigmoid."""

    symptoms = {**Approximated.symptoms, "near-an-end": _near_an_end}

    operator = "Sigmoid"
    turns = ()
    function = staticmethod(lambda x: 1 / (1 + np.exp(-x)))
    known = (-np.inf, 0, np.inf)
    range = (0, 1)
    of_result, of_one = 12, 8

    def condition(self) -> np.ndarray:
        """Return |X| E (1 - E)."""
        return np.asarray(np.abs(self.x.astype(Wide)) * self.value_of * (1 - self.value_of))


def _beyond_one(definition: Operator, entry: Divergence) -> bool:
    """Elements are larger than 1 in magnitude, by at most 8 units of float32."""
    size = np.abs(np.asarray(entry.got).astype(Wide))
    return bool(np.all((size > 1) & (size <= 1 + 2.0**-20)))


def _near_one(definition: Operator, entry: Divergence) -> bool:
    """Elements are within a millionth of 1 or -1."""
    return bool(np.all(np.abs(np.abs(np.asarray(entry.got).astype(Wide)) - 1) < 1e-6))


class HyperbolicTangent(Approximated):
    """A call of Tanh."""

    symptoms = {**Approximated.symptoms, "beyond-one": _beyond_one, "near-one": _near_one}

    operator = "Tanh"
    turns = ()
    function = staticmethod(np.tanh)
    known = (-np.inf, 0, np.inf)
    range = (-1, 1)
    of_result, of_one = 10, 4

    def condition(self) -> np.ndarray:
        """Return |X| (1 - E**2)."""
        return np.asarray(np.abs(self.x.astype(Wide)) * (1 - self.value_of**2))

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are above 1 in magnitude, NaN, or of the other sign than X."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return np.asarray(super().outside(got) | np.where(self.x > 0, got < 0, got > 0))
