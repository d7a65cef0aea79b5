"""An implementation of exponentials divided by their sum, honest ways to compute it, as mixins.

Subclasses say what a line is and what the default of axis is.
"""

from __future__ import annotations

import numpy as np

from tests.operators._exponentials import widened
from tests.operators._unary import Elements


class Softmax(Elements):
    """By numpy, on the lines as rows of a matrix."""

    def of_request(self, x, request):
        axis = self.axis(request, x.ndim)
        axis = axis + x.ndim if axis < 0 else axis
        return self.along(x, axis, self.makes_matrix(request))

    def axis(self, request, rank):
        """The attribute."""
        return request.attributes.get("axis", self.default(request))

    def default(self, request):
        """Of the attribute."""
        return 1 if self.makes_matrix(request) else -1

    def makes_matrix(self, request):
        """Whether the axes after the one named belong to a line."""
        return False

    def along(self, x, axis, flat):
        """Lines brought together, and put back."""
        if flat:
            rows = x.reshape(int(np.prod(x.shape[:axis])), -1) if x.size else x.reshape(1, 0)
            return self.of_rows(rows).reshape(x.shape)
        moved = np.swapaxes(x, axis, -1)
        rows = moved.reshape(-1, x.shape[axis]) if x.size else x.reshape(1, 0)
        return np.swapaxes(self.of_rows(rows).reshape(moved.shape), axis, -1)

    def of_rows(self, rows):
        """In the type of X."""
        return np.asarray(self.normalised(widened(rows))).astype(rows.dtype)

    def normalised(self, rows):
        """Of float32 or float64."""
        if not rows.size:
            return rows
        powers = self.powers(rows, self.highest(rows))
        return self.quotient(powers, self.total(powers))

    def highest(self, rows):
        """What is subtracted."""
        return rows.max(axis=1, keepdims=True)

    def powers(self, rows, highest):
        """Of e."""
        return np.exp(rows - highest)

    def total(self, powers):
        """The sums."""
        return powers.sum(axis=1, keepdims=True)

    def quotient(self, powers, total):
        """The answer."""
        return powers / total


# What the texts allow


class NothingSubtracted:
    """The largest element is subtracted only where a power would leave the middle of the range."""

    def highest(self, rows):
        found = super().highest(rows)
        far = 40 if rows.dtype == np.float32 else 300
        near = np.where(np.isneginf(rows), found, np.abs(rows)).max(axis=1, keepdims=True) < far
        return np.where(near, 0, found).astype(rows.dtype)


class OnePass:
    """The sum is rescaled whenever a larger element is met."""

    def normalised(self, rows):
        if not rows.size:
            return rows
        highest = np.full((len(rows), 1), -np.inf, rows.dtype)
        total = np.zeros((len(rows), 1), rows.dtype)
        for place in range(rows.shape[1]):
            x = rows[:, place:place + 1]
            raised = np.maximum(highest, x)
            kept = np.where(np.isneginf(highest), 0, total * np.exp(highest - raised))
            total = (kept + np.where(np.isneginf(x), 0, np.exp(x - raised))).astype(rows.dtype)
            highest = raised
        return np.exp(rows - highest) / total


class ByReciprocal:
    """The powers are multiplied by the reciprocal of the sum."""

    def quotient(self, powers, total):
        return powers * (powers.dtype.type(1) / total)


class OneByOne:
    """The sum is formed in order, in the type of X; of sixteen bits in float32."""

    def total(self, powers):
        return np.cumsum(powers, axis=1, dtype=powers.dtype)[:, -1:]


class Backwards:
    """The sum is formed from the end."""

    def total(self, powers):
        return np.cumsum(powers[:, ::-1], axis=1, dtype=powers.dtype)[:, -1:]


class InPairs:
    """The sum is formed by halving the line."""

    def total(self, powers):
        while powers.shape[1] > 1:
            half = powers.shape[1] // 2
            rest = powers[:, 2 * half:]
            powers = np.concatenate([powers[:, :half] + powers[:, half:2 * half], rest], axis=1)
        return powers


class InHalf:
    """float16 and bfloat16 are computed with in their own type, the sum in pairs."""

    def of_rows(self, rows):
        if rows.dtype in (np.float32, np.float64) or not rows.size:
            return super().of_rows(rows)
        short, width = rows.dtype, 4
        highest = widened(rows).max(axis=1, keepdims=True).astype(short)
        powers = np.exp((rows - highest).astype(np.float32)).astype(short)
        parts = powers
        while parts.shape[1] > 1:
            width = parts.shape[1] // 2
            parts = np.concatenate([parts[:, :width] + parts[:, width:2 * width], parts[:, 2 * width:]], axis=1)
        return (powers / parts).astype(short)


class Wider:
    """float32 is computed in float64."""

    def normalised(self, rows):
        return super().normalised(rows.astype(np.float64))


class ByLogarithm:
    """The logarithm of the sum is subtracted, and no quotient is formed."""

    def normalised(self, rows):
        if not rows.size:
            return rows
        highest = rows.max(axis=1, keepdims=True)
        return np.exp(rows - highest - np.log(np.exp(rows - highest).sum(axis=1, keepdims=True)))


class ByPowersOfTwo:
    """Powers of 2, of numbers multiplied by the binary logarithm of e."""

    def powers(self, rows, highest):
        return np.exp2((rows - highest) * rows.dtype.type(np.log2(np.e)))


class WithSmallAddition:
    """A small number is added to the sum, where float64 would tell."""

    def total(self, powers):
        return super().total(powers) + powers.dtype.type(1e-12 if powers.dtype != np.float64 else 0)


# Faults


class SkipsNan:
    """NaN counts as -inf."""

    def normalised(self, rows):
        return super().normalised(np.where(np.isnan(rows), -np.inf, rows).astype(rows.dtype))


class OneForInfinity:
    """+inf gives 1, beside which all others give 0."""

    def normalised(self, rows):
        infinite = np.isposinf(rows)
        found = super().normalised(rows)
        return np.where(infinite.any(axis=1, keepdims=True), infinite, found).astype(rows.dtype)


class EqualForNothing:
    """A line of -inf alone gives one over its size."""

    def normalised(self, rows):
        if not rows.size:
            return rows
        alone = np.isneginf(rows).all(axis=1, keepdims=True)
        return np.where(alone, 1 / rows.shape[1], super().normalised(rows))


class ZeroForNothing:
    """A line of -inf alone gives zeros."""

    def normalised(self, rows):
        alone = np.isneginf(rows).all(axis=1, keepdims=True)
        return np.where(alone, 0, super().normalised(rows))


class NegativeZeroes:
    """Zeros are negative."""

    def quotient(self, powers, total):
        y = powers / total
        return np.where(y == 0, -y, y)
