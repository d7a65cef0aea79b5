"""Symptoms of wrong results of Softmax and its logarithm.

Each function takes the definition of a call and a divergence with wrong elements, and returns True if all of these are
as its docstring says, which reports print."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.rounding import Wide, smallest_normal

MOST = np.float32(87)
"""The magnitude that vectorised code clamps the argument of an exponential to."""

LANES, LEAST_SUM = 8, 1e-20
"""Elements that such code computes at once, and the least sum that it divides by."""

CLOSE = 1e-4
"""Such code is off by some units more than the function of a library."""


def _largest_not_subtracted(definition: Any, entry: Divergence) -> bool:
    """Elements are exponentials over their sum in float32, of X itself clamped to -87 and 87, and -87 for NaN: the
    largest of a line is not subtracted."""
    if entry.where is None or not isinstance(entry.got, np.ndarray) or definition.x.dtype != np.float32:
        return False
    clamped = np.clip(np.where(np.isnan(definition.x), -MOST, definition.x), -MOST, MOST)
    powers = np.exp(clamped)
    with np.errstate(over="ignore"):
        sums = definition.over_lines(np.sum, powers)
    return _near(entry.got, (powers / sums)[tuple(entry.where.T)])


def _clamped_by_eights(definition: Any, entry: Divergence) -> bool:
    """In lines of eight and more NaN is as -inf, and an exponential at least e**-87; where that is all that there is,
    as next to inf, a share is 1.6e-18, and 0 behind the last eight."""
    if entry.where is None or not isinstance(entry.got, np.ndarray) or definition.x.dtype != np.float32 or (
            definition.size < LANES):
        return False
    x, at = np.where(np.isnan(definition.wide), -np.inf, definition.wide), tuple(entry.where.T)
    with np.errstate(invalid="ignore"):
        powers = np.exp(np.maximum(x - definition.over_lines(np.max, x), -Wide(MOST)))
    shares = (powers / definition.over_lines(np.sum, powers))[at]
    inside = entry.where[:, definition.axis] < definition.size // LANES * LANES
    least = np.where(inside, np.exp(-Wide(MOST)) / LEAST_SUM, 0)
    undefined = definition.undefined[at]
    return _near(entry.got, np.where(undefined & (np.isnan(shares) | _are_near(entry.got, least)), least, shares))


def _are_near(got: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """bool: which elements are as near to shares as such code comes."""
    return np.asarray(np.abs(got.astype(Wide) - shares) <= CLOSE * shares + 4 * smallest_normal(np.dtype(np.float32)))


def _near(got: np.ndarray, shares: np.ndarray) -> bool:
    return bool(np.all(_are_near(got, shares)))


SYMPTOMS = {"largest-not-subtracted": _largest_not_subtracted, "clamped-by-eights": _clamped_by_eights}
