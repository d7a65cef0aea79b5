"""Changes of the implementation that no case can hold against it, each with the reason. They are no mutants.

Some give the same outputs to the bit, some others that every text allows. That none is accused is tested: it is the
other half of power, that freedom which a text leaves is left.
"""

from __future__ import annotations

from math import prod

import numpy as np

from tests.operators.onnx._pooling import Pooling


class SameByTheRest(Pooling):
    """With SAME the padding is ke - s where s divides in, and ke - in mod s elsewhere, as TensorFlow has it: for out =
    ceil(in/s), (out-1)*s is in - s there and in - in mod s here."""

    def same_total(self, a):
        rest = self.sizes[a] % self.strides[a]
        return max(self.extent(a) - (rest or self.strides[a]), 0)


class ValidByTheCeil(Pooling):
    """With VALID the size is ceil((in - ke + 1) / s): equal to floor((in - ke) / s) + 1 for all integers (onnx/maxpool
    Y.E2)."""

    def valid_count(self, a):
        return -(-(self.sizes[a] - self.extent(a) + 1) // self.strides[a])


class SameByTheFloor(Pooling):
    """With SAME the size is floor((in - 1) / s) + 1: equal to ceil(in / s) for all integers (onnx/maxpool Y.E2)."""

    def same_count(self, a):
        return (self.sizes[a] - 1) // self.strides[a] + 1


class SameCropped(Pooling):
    """With SAME a negative padding crops X: left open (auto_pad.U1)."""

    def same_total(self, a):
        return (self.counts[a] - 1) * self.strides[a] + self.extent(a) - self.sizes[a]


class WindowsInThePaddingDropped(Pooling):
    """Windows that start in the padding at the end are dropped with ceil_mode 0 too, from opset 22 on: left open
    (Y.U4)."""

    def floor_count(self, a):
        count = super().floor_count(a)
        onnx = any(name not in self.given for name in ("auto_pad", "ceil_mode", "storage_order"))
        while onnx and self.drops_last(a, count):
            count -= 1
        return count


class LastTapFirst(Pooling):
    """Values are added from the last to the first: any order of summation conforms (AveragePool Y.F1)."""

    def addends(self):
        return super().addends()[..., ::-1]


class AddedInTheTypeOfX(Pooling):
    """Values are added in the type of X, and multiplied by a reciprocal rounded to it: covered by the bound
    (AveragePool Y.F1)."""

    def mean(self):
        reciprocal = (1 / self.divisor()).astype(self.dtype)
        return np.add.accumulate(self.addends(), axis=2, dtype=self.dtype)[..., -1] * reciprocal


class MeanOfRows(Pooling):
    """The mean is that of the means of the window's rows: with as many cells in each row, no more roundings than the
    bound has (AveragePool Y.F1). Where padding cuts windows it is computed as it should."""

    def mean(self):
        whole = self.mask.all()
        cells = prod(self.kernel[:-1]), self.kernel[-1]
        rows = self.addends().astype(np.float64).reshape(*self.values.shape[:2], *cells)
        return rows.mean(axis=3).mean(axis=2) if whole else super().mean()


class OverhangNotCounted(Pooling):
    """With ceil_mode 1 and count_include_pad 1 cells beyond the padded input do not count: left open before version 19
    (count_include_pad.U2)."""

    def divisor(self):
        if not (self.counts_padding() and self.ceil):
            return super().divisor()
        padded = [self.places(a) < self.sizes[a] + self.end[a] for a in range(self.rank)]
        return np.maximum(np.logical_and.reduce(self.over_all(padded)).sum(axis=1), 1)


class InfinitiesGiveNan(Pooling):
    """A mean of anything infinite is NaN: left open (AveragePool Y.U3)."""

    def mean(self):
        infinite = (self.mask & ~np.isfinite(self.values)).any(axis=2)
        return np.where(infinite, np.nan, super().mean())


class PositiveZero(Pooling):
    """Y never holds -0: +0 equals -0 and either may be given (Y.F1)."""

    def finish(self, y):
        return super().finish(y + np.zeros((), dtype=y.dtype))


class IndexOfNothing(Pooling):
    """The index of a window of nothing but NaN is 0: left open, within X (SONNX float.Indices.U1, ONNX Y.U3)."""

    def index(self, tap):
        return np.where(self.candidates.any(axis=2), super().index(tap), 0)


class ColumnMajorWithoutPlanes(Pooling):
    """With storage_order 1 and several planes the index leaves them out: left open (Indices.U1)."""

    def index_of_plane(self):
        several = self.column_major() and self.batches * self.channels > 1
        return super().index_of_plane() * (0 if several else 1)


class BigEndian(Pooling):
    """The outputs are in the other byte order, which is no matter of values."""

    def lay_out(self, flat):
        output = super().lay_out(flat)
        return output.astype(output.dtype.newbyteorder(">"))


class IndexInDouble(Pooling):
    """The index passes through float64, which holds whole numbers up to 2**53: X of more elements does not exist."""

    def index(self, tap):
        return super().index(tap).astype(np.float64)


class IndexOf31Bits(Pooling):
    """The index wraps at 2**31, and is negative above: it shows on X of more than 2 GiB only, which no case has."""

    def index(self, tap):
        return super().index(tap).astype(np.int32)


class PaddedCopy(Pooling):
    """X is copied into a frame of padding first, and windows are read there: another way to the same cells."""

    def read(self, positions):
        spatial = np.stack(np.unravel_index(positions % max(prod(self.sizes), 1), self.sizes))
        planes = self.x.reshape(-1, *self.sizes)
        frame = np.pad(planes, [(0, 0), *([(1, 1)] * self.rank)])
        return frame[(positions // max(prod(self.sizes), 1), *(spatial + 1))]


EQUAL: tuple[type[Pooling], ...] = (
    SameByTheRest, ValidByTheCeil, SameByTheFloor, SameCropped, WindowsInThePaddingDropped, LastTapFirst, 
    AddedInTheTypeOfX, MeanOfRows, OverhangNotCounted, InfinitiesGiveNan, PositiveZero, IndexOfNothing,
    ColumnMajorWithoutPlanes, BigEndian, IndexInDouble, IndexOf31Bits, PaddedCopy)
