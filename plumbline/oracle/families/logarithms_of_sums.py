"""ReduceLogSum and ReduceLogSumExp: logarithms of sums, with error bounds."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.families.approximations import roundoff
from plumbline.oracle.families.exponentials import Exponential, Logarithm
from plumbline.oracle.families.narrower_types import LARGEST
from plumbline.oracle.families.reductions import OUTPUT
from plumbline.oracle.families.totals import Total
from plumbline.oracle.operator import UNBOUND, Unspecified, on_elements, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal, ulps


def _sum_beyond_float32(definition: Any, entry: Any) -> bool:
    """Elements of float64 are the largest number of float32 where the sum is beyond it."""
    return entry.where is not None and definition.data.dtype == np.float64 and bool(
        np.all((entry.expected > np.log(LARGEST)) & (entry.got == LARGEST)))


def _exponentials_in_int32(definition: Any, entry: Any) -> bool:
    """Elements are logarithms of sums of int32, of exponentials without their fractions: -2^31 is one that is beyond,
    and +2^31 or -2^31 the logarithm of what is not above zero."""
    if not definition.is_integer or entry.where is None:
        return False
    powers = np.exp(np.minimum(definition.elements, 32))
    terms = np.where(powers < 2**31, powers, -2**31).astype(np.int64)
    sums = definition.shaped(terms.sum(axis=1).astype(np.int32))[tuple(entry.where.T)].astype(Wide)
    found = entry.got.astype(Wide)
    with np.errstate(all="ignore"):
        return bool(np.all(np.where(sums > 0, np.abs(found - np.log(sums)) < 1, np.abs(found) == 2**31)))


class LogarithmOfSum(Total):
    """A call of ReduceLogSum."""

    symptoms = {**Total.symptoms, "sum-beyond-float32": _sum_beyond_float32}
    of_nothing = -np.inf

    @cached_property
    def elements(self) -> np.ndarray:
        """The elements in extended precision, (sets, elements of each)."""
        return self.sets.astype(Wide)

    @property
    def computed_in(self) -> np.dtype:
        """The type of the set, float32 for integers."""
        return np.dtype(np.float32) if self.is_integer else self.data.dtype

    def room(self, end: np.ndarray) -> np.ndarray:
        """Return the distance from logarithms that roundings explain, as of Log."""
        roundings = Logarithm.of_result * np.abs(end) + Logarithm.of_argument + Logarithm.of_one
        least = 1 if self.is_integer else smallest_normal(self.data.dtype)
        return np.asarray(np.maximum(roundoff(self.computed_in) * roundings, least))

    @cached_property
    def finite(self) -> np.ndarray:
        """bool: which sets have neither NaN nor an infinity."""
        return np.asarray(np.isfinite(self.elements).all(axis=1))

    @cached_property
    def value(self) -> np.ndarray:
        """The exact logarithms, set by set, NaN of what is below zero."""
        with np.errstate(all="ignore"):
            return np.asarray(np.log(self.elements.sum(axis=1)))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The logarithms of the lowest and of the highest sum that some order gives."""
        if self.is_integer:
            return self.value, self.value
        sums = self.products.sums
        off = np.where(self.products.bound == 0, 0, self.products.bound + sums.certified)
        with np.errstate(all="ignore"):
            low, high = np.log(np.maximum(sums.total - off, 0)), np.log(sums.total + off)  # NaN: all are below zero
        return low, high

    @cached_property
    def undefined(self) -> np.ndarray:
        """bool: where some order gives a sum below zero, or one of zero in a type without infinities."""
        low, _ = self.ends
        if self.is_integer:
            return np.asarray(~(self.elements.sum(axis=1) > 0))
        off = np.where(self.products.bound == 0, 0, self.products.bound + self.products.sums.certified)
        return np.asarray(self.products.sums.total - off < 0)

    def reduced(self) -> np.ndarray:
        """The logarithms; of integers without their fraction, 0 where they are undefined."""
        return np.trunc(np.where(np.isfinite(self.value), self.value, 0)) if self.is_integer else self.value

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of all but the exact logarithm, rounded: `accuracy` admits others."""
        return np.ones(got.shape, bool)

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool, set by set: which are explained by some rounding."""
        low, high = self.ends
        given = np.asarray(got).astype(Wide)
        with np.errstate(invalid="ignore"):
            room = [np.where(np.isfinite(end), self.room(end), 0) for end in (low, high)]
            return np.asarray((given >= low - room[0]) & (given <= high + room[1]))

    def tolerance(self) -> dict[str, float]:
        """The largest distance that is explained."""
        if not self.sets.size:
            return {}
        low, high = (np.where(self.finite & np.isfinite(end), end, 0) for end in self.ends)
        wide = np.abs(high - low) + np.maximum(self.room(low), self.room(high))
        return {OUTPUT: float(wide.max())}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if self.is_integer or not self.sets.size:
            return {}
        where = judged.reshape(-1) & self.finite & np.isfinite(self.value)
        return {"largest error in ulp": ulps(np.asarray(got).reshape(-1)[where],
                                             self.canonical[OUTPUT].reshape(-1)[where], self.value[where])}

    @unspecified(UNBOUND, refusal=True)
    def integers_of_nothing(self) -> Unspecified | None:
        return self.undefined_of_nothing() if self.is_integer else None

    @unspecified(UNBOUND)
    def accuracy(self) -> Unspecified | None:
        return self.where(self.finite, self.explains, observed=True) if self.size else None

    @unspecified(UNBOUND)
    def below_zero(self) -> Unspecified | None:
        is_nan = self.version >= 18 and not self.is_integer  # by the function body
        return self.where(self.finite & self.undefined, np.isnan if is_nan else None) if self.size else None

    @on_elements(UNBOUND, OUTPUT, "not NaN, as the logarithm of every sum is")
    def all_below_zero(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.shaped(self.finite & np.isnan(self.value) & np.isnan(self.ends[1])))

    @unspecified(UNBOUND)
    def overflow_of_integers(self) -> Unspecified | None:
        return self.where(self.beyond) if self.is_integer and self.size else None

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return self.where(~self.finite) if self.size else None

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        up, down = self.products.overflow
        return self.where(self.finite & (up | down), lambda got: (got == np.inf) & up | np.isnan(got) & down)


class LogarithmOfExponentials(LogarithmOfSum):
    """A call of ReduceLogSumExp."""

    symptoms = {**LogarithmOfSum.symptoms, "exponentials-in-int32": _exponentials_in_int32}

    @cached_property
    def value(self) -> np.ndarray:
        """The exact logarithms."""
        highest = self.elements.max(axis=1)
        with np.errstate(all="ignore"):
            return np.asarray(highest + np.log(np.exp(self.elements - highest[:, None]).sum(axis=1)))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and highest logarithms that roundings of exponentials and sum explain.

        An exponential is off by as much as Exp's, or zero below the smallest normal number."""
        u, small = roundoff(self.computed_in), smallest_normal(self.computed_in)
        with np.errstate(all="ignore"):
            farthest = np.abs(self.elements).max(axis=1)
            off = np.minimum(u * (Exponential.of_result + Exponential.of_argument * farthest), 0.5)
            grown = growth(self.size, self.computed_in)
            lost = self.size * small * np.exp(-self.value)
            low = np.log(np.maximum((1 - off) * (1 - grown) - lost, 0))
            high = np.log((1 + off) * (1 + grown) + lost)
        return self.value + low, self.value + high

    @cached_property
    def undefined(self) -> np.ndarray:
        """bool: of integers those whose exponentials may all be read as zero."""
        return np.asarray(self.is_integer & ~np.isfinite(self.ends[0]))

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        if not self.size:
            return None
        name = self.computed_in.name if self.version < 18 else "float64"  # by the function body
        up = self.finite & (self.ends[1] >= np.log(Wide(float(PRECISION[name][2]))))
        return self.where(up, None if self.is_integer else lambda got: got == np.inf)
