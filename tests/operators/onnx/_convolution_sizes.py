"""Faults of convolutions that show only at sizes of rows, kernels, sums and Y, in one element type, or where a number
leaves the width that it is kept in."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.operators.contract import fault
from tests.operators.onnx._convolution import Convolution

VALUES = ("Y.F1", "pads.F1", "auto_pad.F1")
SIZES = ("Y.C1", "Y.C2", "Y.C3")


def terms(self):
    """In how many products each sum has a part."""
    return self.w.shape[1] * int(np.prod(self.kernel))


# Rows and planes


@fault(*VALUES)
class RowsBeyondThirtyTwo(Convolution):
    """Rows behind the 32nd are those from the first on."""

    def finish(self, y):
        y = super().finish(y)
        return y if self.rank < 2 else y.take(np.arange(y.shape[-2]) % 32, axis=-2)


@fault(*VALUES)
class PositionsBeyondTheBuffer(Convolution):
    """Positions of a plane behind the 256th are zero."""

    def finish(self, y):
        y = np.ascontiguousarray(super().finish(y))
        if y.size:
            y.reshape(*y.shape[:2], -1)[..., 256:] = 0
        return y


@fault(*VALUES)
class CounterOfSixteenBits(Convolution):
    """Elements of Y behind the first 65,536 are zero."""

    def finish(self, y):
        y = np.ascontiguousarray(super().finish(y))
        y.reshape(-1)[1 << 16:] = 0
        return y


@fault(*VALUES)
class PadsExchangedInWideRows(Convolution):
    """Where X has more than 32 columns, as many are padded before it as were to be added behind it."""

    def fill(self, x, width):
        *others, (begin, end) = width
        if x.shape[-1] <= 32 or begin == self.end[-1]:
            return super().fill(x, width)
        shifted = super().fill(x, [*others, (self.end[-1], begin + end)])
        return shifted[..., :x.shape[-1] + begin + end]


@fault(*VALUES)
class TileOfFourOffTheEdge(Convolution):
    """With kernels of 3 by 3 a last tile of 4 by 4 that hangs over the edge is not written, from 16 columns on."""

    def finish(self, y):
        y = super().finish(y)
        if self.kernel == [3, 3] and {*self.strides, *self.dilations} == {1} and y.shape[-1] > 16:
            y[..., y.shape[-1] // 4 * 4:] = 0
        return y


# Kernels and sums


@fault(*VALUES)
class PointwiseSideBySide(Convolution):
    """Kernels of one cell over at least four channels are multiplied with neighbouring cells, whatever the strides."""

    def slices(self, offset):
        found = super().slices(offset)
        if set(self.kernel) != {1} or self.w.shape[1] < 4:
            return found
        return tuple(slice(part.start, part.start + count) for part, count in zip(found, self.counts, strict=True))


@fault("pads.F1", "auto_pad.F1")
class PointwisePaddingWithoutBias(Convolution):
    """Kernels of one cell over at least four channels leave B out in the padding."""

    def with_bias(self, y):
        if set(self.kernel) != {1} or self.w.shape[1] < 4 or self.b is None:
            return super().with_bias(y)
        inside = self.padded(np.ones_like(self.x[:1, :1]))[(slice(None), slice(None), *self.slices((0,) * self.rank))]
        return np.where(inside == 1, super().with_bias(y), y)


@fault(*VALUES)
class LastRowOfLargeKernelsInHalf(Convolution):
    """In float16 the last row of kernels of 5 by 5 and 7 by 7 is left out."""

    def offsets(self):
        found = super().offsets()
        return found[:-self.kernel[-1]] if self.dtype == np.float16 and self.kernel in ([5, 5], [7, 7]) else found


@fault(*VALUES)
class KernelRowsOffSixteen(Convolution):
    """Cells of a row of the kernel behind the last whole block of sixteen are left out, where there is one."""

    def offsets(self):
        kept = self.kernel[-1] // 16 * 16 or self.kernel[-1]
        return [offset for offset in super().offsets() if offset[-1] < kept]


@fault(*VALUES)
class CellsCountedInAByte(Convolution):
    """Cells of the kernel behind the 256th are left out."""

    def offsets(self):
        return super().offsets()[:256]


@fault(*VALUES)
class SumsAreCut(Convolution):
    """Terms behind the 512th are left out."""

    def products(self, x, w):
        for _, term in zip(range(512), super().products(x, w), strict=False):
            yield term


@fault(*VALUES)
class TailOfLongSums(Convolution):
    """Of a thousand terms and more those behind the last whole block of 128 are left out."""

    def products(self, x, w):
        count = terms(self)
        kept = count if count < 1000 else count // 128 * 128
        for _, term in zip(range(kept), super().products(x, w), strict=False):
            yield term


# Vectors of a type


@fault(*VALUES)
class HalfOffTheVector(Convolution):
    """In float16 the columns behind the last whole block of sixteen are zero, where there is one."""

    def finish(self, y):
        y = super().finish(y)
        kept = y.shape[-1] // 16 * 16
        if self.dtype == np.float16 and kept:
            y[..., kept:] = 0
        return y


@fault(*VALUES)
class DoubleOffTheVector(Convolution):
    """In float64 the columns behind the last whole block of four are zero, from sixteen columns on."""

    def finish(self, y):
        y = super().finish(y)
        if self.dtype == np.float64 and y.shape[-1] > 16:
            y[..., y.shape[-1] // 4 * 4:] = 0
        return y


@fault(*VALUES)
class SingleTailWithoutBias(Convolution):
    """In float32 the columns behind the last whole block of eight lack B, from 32 columns on."""

    def with_bias(self, y):
        if self.dtype != np.float32 or y.shape[-1] <= 32:
            return super().with_bias(y)
        kept = y.shape[-1] // 8 * 8
        return np.concatenate([super().with_bias(y[..., :kept]), y[..., kept:]], axis=-1)


@fault(*VALUES)
class BfloatInHalf(Convolution):
    """bfloat16 is computed in float16, whose range is smaller."""

    def working(self, array):
        return array.astype(np.float16) if array.dtype == ml_dtypes.bfloat16 else array


# Widths of numbers


@fault(*SIZES)
class StridesInThirtyTwoBits(Convolution):
    """Strides are kept in 32 bits."""

    def read_strides(self):
        return [int(np.array(one, np.int64).astype(np.int32)) or 1 for one in super().read_strides()]


@fault("Y.C1", "Y.C2", *VALUES)
class DilationsInAByte(Convolution):
    """Dilations are kept in 8 bits."""

    def read_dilations(self):
        return [one % 256 for one in super().read_dilations()]


@fault("Y.C1", "pads.F1")
class PadsInAByte(Convolution):
    """Pads are kept in 8 bits."""

    def read_pads(self):
        begin, end = super().read_pads()
        return [one % 256 for one in begin], [one % 256 for one in end]


@fault(*SIZES)
class PadsInSixtyTwoBits(Convolution):
    """Pads are kept in 62 bits."""

    def read_pads(self):
        begin, end = super().read_pads()
        return [one % 2**62 for one in begin], [one % 2**62 for one in end]


# Batches


@fault(*VALUES)
class BatchesBehindTheSixtyFourth(Convolution):
    """Batches behind the 64th are zero."""

    def finish(self, y):
        y = super().finish(y).copy()
        y[64:] = 0
        return y


@fault(*VALUES)
class PlanesCountedInAByte(Convolution):
    """Planes behind the 256th are zero, but for float32."""

    def finish(self, y):
        y = np.ascontiguousarray(super().finish(y)).copy()
        if y.dtype != np.float32 and y.ndim > 2:
            y.reshape(-1, *y.shape[2:])[256:] = 0
        return y
