"""An implementation of exponentials divided by their sum, honest ways to compute it, and faults as mixins.

Subclasses say what a line is and what the default of axis is.
"""

from __future__ import annotations

import ml_dtypes
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
    """A small number is added to the sum."""

    def total(self, powers):
        return super().total(powers) + powers.dtype.type(1e-12)


# Faults


class OtherDefault:
    """The default of axis is that of the other versions."""

    def default(self, request):
        return -1 if self.makes_matrix(request) else 1


class OtherLines:
    """Lines are those of the other versions."""

    def along(self, x, axis, flat):
        return super().along(x, axis, not flat)


class LastAxis:
    """axis is not read: lines are the last axis."""

    def axis(self, request, rank):
        return rank - 1


class FirstAxis:
    """axis is not read: lines begin at the first axis."""

    def axis(self, request, rank):
        return 0


class AxisFromTheBackIsTheLast:
    """A negative axis counts as the last one."""

    def axis(self, request, rank):
        return max(super().axis(request, rank), -1)


class AxisFromTheBackIsOneOff:
    """A negative axis is one too low."""

    def axis(self, request, rank):
        axis = super().axis(request, rank)
        return (axis - 1) % rank if axis < 0 else axis


class Everything:
    """All of X is one line."""

    def along(self, x, axis, flat):
        return self.of_rows(x.reshape(1, -1)).reshape(x.shape)


class NotPutBack:
    """Lines that are brought to the end stay there."""

    def along(self, x, axis, flat):
        y = super().along(x, axis, flat)
        return y if flat else np.swapaxes(y, axis, -1)


class ReadsInPlace:
    """Lines of another axis than the last are read as if their elements lay side by side."""

    def along(self, x, axis, flat):
        rows = x.reshape(-1, x.shape[axis]) if x.size else x.reshape(1, 0)
        return super().along(x, axis, flat) if flat else self.of_rows(rows).reshape(x.shape)


class NotNormalised:
    """The powers are given."""

    def quotient(self, powers, total):
        return powers


class NeverSubtracts:
    """The largest element is not subtracted, so that powers overflow."""

    def highest(self, rows):
        return np.zeros((len(rows), 1), rows.dtype)


class HighestOfAll:
    """The largest element of all lines is subtracted."""

    def highest(self, rows):
        return np.full((len(rows), 1), rows.max(), rows.dtype)


class HighestOfTheFirst:
    """The largest element of the first line is subtracted from all."""

    def highest(self, rows):
        return np.broadcast_to(rows[:1].max(axis=1, keepdims=True), (len(rows), 1))


class HighestFromZero:
    """The search for the largest element starts at zero."""

    def highest(self, rows):
        return np.maximum(super().highest(rows), 0)


class LowestSubtracted:
    """The smallest element is subtracted."""

    def highest(self, rows):
        return rows.min(axis=1, keepdims=True)


class FirstSubtracted:
    """The first element is subtracted."""

    def highest(self, rows):
        return rows[:, :1]


class OnePassWithoutRescaling:
    """In one pass, the sum is not rescaled when a larger element is met."""

    def total(self, powers):
        return np.maximum(super().total(powers), powers.shape[1])


class LastLeftOut:
    """The last element is not in the sum."""

    def total(self, powers):
        return powers[:, :-1].sum(axis=1, keepdims=True)


class SumOfWholeBlocks:
    """What is left over from blocks of eight is not in the sum, where there are more than sixteen elements."""

    def total(self, powers):
        count = powers.shape[1]
        whole = count - count % 8 if count > 16 else count
        return powers[:, :whole].sum(axis=1, keepdims=True)


class SumOfTheFirst:
    """The sum of the first line is that of all."""

    def total(self, powers):
        return np.broadcast_to(super().total(powers)[:1], (len(powers), 1))


class SumFromOne:
    """The sum starts at 1."""

    def total(self, powers):
        return super().total(powers) + 1


class CountForSum:
    """The number of elements stands for the sum."""

    def total(self, powers):
        return np.full((len(powers), 1), powers.shape[1], powers.dtype)


class LargestForSum:
    """The largest power stands for the sum."""

    def total(self, powers):
        return powers.max(axis=1, keepdims=True)


class Norm:
    """The root of the sum of squares stands for the sum."""

    def total(self, powers):
        return np.sqrt((powers * powers).sum(axis=1, keepdims=True))


class SumStopsInHalf:
    """float16 is added one by one in float16, where a sum of ones stops at 2048."""

    def of_rows(self, rows):
        if rows.dtype != np.float16 or not rows.size:
            return super().of_rows(rows)
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        return powers / np.cumsum(powers, axis=1, dtype=np.float16)[:, -1:] / np.float16(2)


class LogarithmGiven:
    """The logarithm of the quotient is given."""

    def quotient(self, powers, total):
        return np.log(powers / total)


class OfTheNegative:
    """X is negated."""

    def normalised(self, rows):
        return super().normalised(-rows)


class LargestAlone:
    """The largest element gives 1, all others 0."""

    def normalised(self, rows):
        return (rows == rows.max(axis=1, keepdims=True)).astype(rows.dtype) if rows.size else rows


class EachAlone:
    """Each element gives its logistic function."""

    def normalised(self, rows):
        e = np.exp(-np.abs(rows))
        return np.where(rows < 0, e, 1) / (1 + e)


class BaseTwo:
    """The base is 2."""

    def powers(self, rows, highest):
        return np.exp2(rows - highest)


class Cooled:
    """X is divided by the root of the size of the line."""

    def normalised(self, rows):
        return super().normalised(rows / rows.dtype.type(np.sqrt(max(rows.shape[1], 1))))


class CutAtTen:
    """Elements more than 10 below the largest count as 10 below it."""

    def powers(self, rows, highest):
        return np.exp(np.maximum(rows - highest, -10))


class NanForMinusInfinity:
    """-inf gives NaN."""

    def normalised(self, rows):
        return np.where(np.isneginf(rows), np.nan, super().normalised(rows))


class LineOfNanForMinusInfinity:
    """A line with -inf gives NaN throughout."""

    def normalised(self, rows):
        return np.where(np.isneginf(rows).any(axis=1, keepdims=True), np.nan, super().normalised(rows))


class LowestForMinusInfinity:
    """-inf counts as -20."""

    def normalised(self, rows):
        return super().normalised(np.where(np.isneginf(rows), -20, rows).astype(rows.dtype))


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


class LargestForInfinity:
    """Infinities count as the largest finite numbers."""

    def normalised(self, rows):
        return super().normalised(np.clip(rows, ml_dtypes.finfo(rows.dtype).min, ml_dtypes.finfo(rows.dtype).max))


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


class AboveOne:
    """Elements that are the whole sum are one step above 1."""

    def quotient(self, powers, total):
        y = powers / total
        return np.where(y == 1, np.float64(1.01), y)


class NegativeZeroes:
    """Zeros are negative."""

    def quotient(self, powers, total):
        y = powers / total
        return np.where(y == 0, -y, y)


class MatrixGiven:
    """The lines are given as rows of a matrix."""

    def along(self, x, axis, flat):
        found = super().along(x, axis, flat)
        return found.reshape(-1, found.shape[-1]) if found.ndim > 2 and found.size else found


class RefusesOneAxis:
    """Tensors of one axis are refused."""

    def along(self, x, axis, flat):
        if x.ndim == 1:
            raise ValueError("one axis")
        return super().along(x, axis, flat)


class RefusesMoreThanTwoAxes:
    """Tensors of more than two axes are refused."""

    def along(self, x, axis, flat):
        if x.ndim > 2:
            raise ValueError("more than two axes")
        return super().along(x, axis, flat)
