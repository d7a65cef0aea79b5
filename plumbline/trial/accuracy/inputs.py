"""Choose the inputs that a function is measured on, in buckets.

The bucket of a number is the number that its highest bits are: sign, exponent, and of float16 two bits of the
significand. One of float64 has eight binades."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plumbline.backends.worker import element_type
from plumbline.oracle.rounding import smallest_normal

LOW_BITS = {"float16": 8, "bfloat16": 7, "float32": 23, "float64": 55}
"""By element type the bits below those of the bucket."""

PER_BUCKET = {"float32": 256, "float64": 96}
"""Numbers drawn in a bucket of a type too large to try all numbers."""

CHANGES = 24
"""Places of each sign where the results change class, around which all numbers are tried, the nearest to zero first."""

AROUND = 64
"""Numbers on each side of such a place."""

Classes = Callable[[np.ndarray], np.ndarray]
"""From numbers to the classes of their results (`result_classes`)."""


def bits_of(x: np.ndarray) -> np.ndarray:
    """Return the bits of numbers, as unsigned integers."""
    return x.view(f"u{x.dtype.itemsize}")


def numbers_of(bits: np.ndarray, dtype: str) -> np.ndarray:
    """Return the numbers of a type that have these bits."""
    kind = element_type(dtype)
    return bits.astype(f"u{kind.itemsize}").view(kind)


def buckets_of(x: np.ndarray) -> np.ndarray:
    """Return the bucket of each number."""
    return np.asarray((bits_of(x) >> np.array(LOW_BITS[x.dtype.name]).astype(bits_of(x).dtype)).astype(np.int64))


def bucket_count(dtype: str) -> int:
    """Return the number of buckets, of which the second half is that of the negative numbers."""
    return 1 << (8 * element_type(dtype).itemsize - LOW_BITS[dtype])


def all_inputs(dtype: str) -> np.ndarray:
    """Return all numbers of a type of 16 bits."""
    return numbers_of(np.arange(1 << 16), dtype)


def drawn_inputs(dtype: str, classes: Classes, seed: int, per_bucket: int) -> np.ndarray:
    """Return numbers of each bucket, and all around changes of class.

    dtype:      a key of `LOW_BITS`.
    classes:    returns the class of the result at each number.
    per_bucket: numbers of each bucket, its ends included; the others are random."""
    generator = np.random.default_rng(seed)
    size, half = np.uint64(1 << LOW_BITS[dtype]), bucket_count(dtype) // 2
    found = []
    for sign in (0, 1):
        first = np.arange(half, dtype=np.uint64)[:, None] * size
        rest = generator.integers(0, size, (half, per_bucket), np.uint64, endpoint=False)
        rest[:, 0], rest[:, -1] = 0, size - np.uint64(1)
        magnitudes = np.unique(first + rest)
        top = np.uint64(sign) * np.uint64(half) * size
        found += [magnitudes + top, _around_changes(magnitudes, top, classes, dtype) + top]
    return numbers_of(np.unique(np.concatenate(found)), dtype)


def _around_changes(magnitudes: np.ndarray, top: np.uint64, classes: Classes, dtype: str) -> np.ndarray:
    """Return the numbers around changes of class, as magnitudes; each change is found by bisection."""
    known = classes(numbers_of(magnitudes + top, dtype))
    places = np.flatnonzero(known[1:] != known[:-1])[:CHANGES]
    low, high = magnitudes[places], magnitudes[places + 1]
    while (high - low > 1).any():
        middle = low + (high - low) // np.uint64(2)
        same = classes(numbers_of(middle + top, dtype)) == known[places]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    steps = np.arange(-AROUND, AROUND + 1, dtype=np.int64)[:, None]
    around = low.astype(np.int64) + steps  # magnitudes are below 2**63
    return np.unique(around[(around >= 0) & (around <= int(magnitudes[-1]))]).astype(np.uint64)


def result_classes(results: np.ndarray) -> np.ndarray:
    """Return the class of each result: NaN, infinity, zero, below the normal range, one, or other, with its sign."""
    with np.errstate(invalid="ignore"):
        size = np.abs(results.astype(np.longdouble))
        kinds = [np.isnan(size), np.isinf(size), size == 0, size < smallest_normal(results.dtype), size == 1]
        found = np.select(kinds, [1, 2, 3, 4, 5], 6)
        return np.asarray(np.where(results < 0, -found, found))
