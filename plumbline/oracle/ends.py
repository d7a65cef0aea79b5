"""Compute lower and upper ends of the conforming elements of an output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plumbline.oracle.rounding import PRECISION, Wide
from plumbline.oracle.type_names import name_of


class Ends(NamedTuple):
    """The lower and the upper end of each element, in extended precision; NaN where nothing is known."""

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def around(cls, value: np.ndarray, room: np.ndarray | float = 0.0) -> Ends:
        """Ends at a distance from values; those that are not finite have none."""
        wide = np.asarray(value.astype(Wide))
        if type(room) is float and room == 0:  # as for most, and several times as fast
            return cls(wide, wide + room)
        with np.errstate(all="ignore"):
            kept = np.where(np.isfinite(wide), room, 0)
            return cls(np.asarray(wide - kept), np.asarray(wide + kept))

    def where(self, mask: np.ndarray | bool, other: Ends | None = None) -> Ends:
        """The ends where the mask is True, others elsewhere; by default nothing is known there."""
        low, high = other or (np.asarray(np.nan, Wide),) * 2
        return Ends(np.where(mask, self.low, low), np.where(mask, self.high, high))

    def joined(self, other: Ends) -> Ends:
        """Ends around both; nothing is known where one of them knows nothing."""
        return Ends(np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def outward(self, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """The ends in an element type, rounded outward."""
        with np.errstate(all="ignore"):
            low, high = (end.astype(dtype) for end in self)
            low = np.where(low.astype(Wide) > self.low, np.nextafter(low, dtype.type(-np.inf)), low)
            high = np.where(high.astype(Wide) < self.high, np.nextafter(high, dtype.type(np.inf)), high)
        return low, high


def least_of(dtype: np.dtype) -> float:
    """Return the smallest number above zero of a type; 0 of integers."""
    return float(PRECISION[name_of(dtype)][1]) if name_of(dtype) in PRECISION else 0.0


def rounding_of(value: np.ndarray) -> np.ndarray | float:
    """Return more than two roundings of numbers; 0 of integers."""
    if name_of(value.dtype) not in PRECISION:
        return 0.0
    u, eta, _ = (Wide(float(part)) for part in PRECISION[name_of(value.dtype)])
    return np.asarray(2 * u * (1 + 4 * u) * np.abs(value.astype(Wide)) + eta)


def of_one_operation(value: np.ndarray, where: np.ndarray) -> Ends:
    """Return the ends of results that are rounded to nearest, as `value` is.

    where: bool: which elements an operation rounds; the others are exact. The exact result is within u of itself, or
    half the smallest number, of both what is given and `value`. Beyond the range both infinity and the largest number
    count."""
    largest = Wide(float(PRECISION[name_of(value.dtype)][2]))
    ends = Ends.around(value, np.where(where, rounding_of(value), 0))
    beyond = where & np.isinf(value.astype(Wide))
    return Ends(np.where(beyond & (ends.low > 0), largest, ends.low), np.where(beyond & (ends.high < 0), -largest,
                                                                               ends.high))
