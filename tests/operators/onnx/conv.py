"""Implementations of Conv under ONNX's text, and faults."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.operators.contract import fault, under
from tests.operators.onnx import _convolution as convolution
from tests.operators.onnx import _convolution_blocks, _convolution_contexts, _convolution_sizes
from tests.operators.onnx._convolution import Convolution


class Conv(Convolution):
    """Multiplies the zeros of the padding, cell by cell."""


class Backwards(convolution.Backwards):
    """Sums from the last term to the first."""


class ChannelsFirst(convolution.ChannelsFirst):
    """Sums channel by channel."""


class Pairwise(convolution.Pairwise):
    """Sums in pairs."""


class InBlocks(convolution.InBlocks):
    """Sums blocks of channels."""


class Wider(convolution.Wider):
    """Sums in the next wider type."""


class Fused(convolution.Fused):
    """Rounds a product together with its addition."""


class BiasFirst(convolution.BiasFirst):
    """Begins each sum with B."""


class AsMatrices(convolution.AsMatrices):
    """Multiplies matrices."""


class SkipsPadding(convolution.SkipsPadding):
    """Leaves padding out of the sums."""


class Winograd2(convolution.Winograd2):
    """Minimal filtering with tiles of 2 by 2."""


class Winograd4(convolution.Winograd4):
    """Minimal filtering with tiles of 4 by 4."""


class Winograd6(convolution.Winograd6):
    """Minimal filtering with tiles of 6 by 6."""


class WinogradOfAnyType(convolution.WinogradOfAnyType):
    """Minimal filtering in float16 and float64 too."""


class CropsForSame(Convolution):
    """Cuts X where SAME asks for negative padding."""

    def split(self, axis):
        total = self.missing(axis)
        small, large = total // 2, total - total // 2
        return (small, large) if self.auto_pad == "SAME_UPPER" else (large, small)

    def padded(self, x):
        cut = tuple(slice(max(-begin, 0), None) for begin in self.begin)
        kept, begin = x[(slice(None), slice(None), *cut)], self.begin
        self.begin = [max(one, 0) for one in begin]
        found = super().padded(kept)
        self.begin = begin
        return found


class Refuses(Convolution):
    """Refuses what may be refused: empty axes."""

    def check(self):
        if 0 in self.x.shape or 0 in self.w.shape:
            raise NotImplementedError


# Strides, dilations, sizes


@fault("Y.C1", "Y.C2", "Y.C3")
class IgnoresStrides(Convolution):
    """Every stride is 1."""

    def read_strides(self):
        return [1] * self.rank


@fault("Y.C1", "Y.C2", "Y.C3")
class StridesExchanged(Convolution):
    """Strides are read from the last axis to the first."""

    def read_strides(self):
        return super().read_strides()[::-1]


@fault("Y.C1", "Y.C2")
class OneStrideForAll(Convolution):
    """The first stride is that of every axis."""

    def read_strides(self):
        return super().read_strides()[:1] * self.rank


@fault("Y.F1", "pads.F1", "auto_pad.F1")
class WindowsStepByOne(Convolution):
    """As many windows as the strides give, laid side by side."""

    def slices(self, offset):
        return tuple(slice(part.start, part.start + count) for part, count in
                     zip(super().slices(offset), self.counts, strict=True))


@fault("Y.C1", "Y.C2")
class IgnoresDilations(Convolution):
    """Every dilation is 1."""

    def read_dilations(self):
        return [1] * self.rank


@fault("Y.C1", "Y.C2")
class DilationsExchanged(Convolution):
    """Dilations are read from the last axis to the first."""

    def read_dilations(self):
        return super().read_dilations()[::-1]


@fault("Y.C1", "Y.C2")
class OneDilationForAll(Convolution):
    """The first dilation is that of every axis."""

    def read_dilations(self):
        return super().read_dilations()[:1] * self.rank


@fault("Y.F1", "pads.F1")
class GapsForgotten(Convolution):
    """Sizes have the dilation, the cells that are read do not."""

    def slices(self, offset):
        dilations, self.dilations = self.dilations, [1] * self.rank
        found = super().slices(offset)
        self.dilations = dilations
        return found


@fault("Y.C1", "Y.C2")
class RoundsUp(Convolution):
    """The number of windows is rounded up."""

    def windows(self, room, stride):
        return -(-room // stride) + 1


@fault("Y.C1", "Y.C2")
class LastWindowDropped(Convolution):
    """A last window that ends where X ends is dropped, unless it is the only one."""

    def windows(self, room, stride):
        found = super().windows(room, stride)
        return found - 1 if found > 1 and room % stride == 0 else found


@fault("Y.C3")
class SameRoundsDown(Convolution):
    """The size of SAME is rounded down."""

    def same_count(self, size, stride):
        return size // stride


# Padding


@fault("Y.C1", "pads.F1")
class IgnoresPads(Convolution):
    """Pads are zero."""

    def read_pads(self):
        return [0] * self.rank, [0] * self.rank


@fault("pads.F1", "Y.F1")
class PadsExchanged(Convolution):
    """What is to be added at the beginning is added at the end."""

    def read_pads(self):
        return super().read_pads()[::-1]


@fault("Y.C1", "pads.F1")
class PadsInTurns(Convolution):
    """Pads are read as beginning and end of the first axis, then of the second."""

    def read_pads(self):
        if self.auto_pad != "NOTSET" or "pads" not in self.given:
            return super().read_pads()
        return list(self.given["pads"])[::2], list(self.given["pads"])[1::2]


@fault("Y.C1", "pads.F1")
class PadsExchangedByAxis(Convolution):
    """Pads are read from the last axis to the first."""

    def read_pads(self):
        begin, end = super().read_pads()
        return begin[::-1], end[::-1]


@fault("Y.C1")
class PadsAreSymmetric(Convolution):
    """The pads at the end are those at the beginning."""

    def read_pads(self):
        begin, _ = super().read_pads()
        return begin, begin


@fault("pads.F1")
class PaddingIsOne(Convolution):
    """Padding cells are 1."""

    def fill(self, x, width):
        return np.pad(x, width, constant_values=1)


@fault("pads.F1")
class PaddingRepeatsTheEdge(Convolution):
    """Padding cells are those of the edge of X."""

    def fill(self, x, width):
        return np.pad(x, width, mode="edge") if x.size else super().fill(x, width)


@fault("pads.F1")
class PadOfAnAxisTwice(Convolution):
    """A pad that reaches the kernel is cut to the kernel, and the sizes are not."""

    def fill(self, x, width):
        begin = [min(one, kernel - 1) for one, kernel in zip(self.begin, self.kernel, strict=True)]
        return super().fill(x, [*width[:2], *((one, end + more - one) for one, (more, end) in
                                               zip(begin, width[2:], strict=True))])


@fault("auto_pad.F1")
class UpperIsLower(Convolution):
    """SAME_UPPER puts an odd cell at the beginning."""

    def split(self, axis):
        small, large = sorted(super().split(axis))
        return large, small


@fault("auto_pad.F1")
class LowerIsUpper(Convolution):
    """SAME_LOWER puts an odd cell at the end."""

    def split(self, axis):
        small, large = sorted(super().split(axis))
        return small, large


@fault("auto_pad.F1")
class SameWithoutDilation(Convolution):
    """The padding of SAME is that of the kernel without its dilation."""

    def missing(self, axis):
        return super().missing(axis) - self.extent(axis) + self.kernel[axis]


@fault("auto_pad.F1")
class SameWithoutStride(Convolution):
    """The padding of SAME is that of stride 1."""

    def missing(self, axis):
        return self.extent(axis) - 1


@fault("auto_pad.F1")
class SameAtTheBeginning(Convolution):
    """All padding of SAME is put at the beginning."""

    def split(self, axis):
        return max(self.missing(axis), 0), 0


@fault("Y.C3")
class SameIsValid(Convolution):
    """SAME_LOWER is read as VALID."""

    def read_auto_pad(self):
        return {"SAME_LOWER": "VALID"}.get(super().read_auto_pad(), super().read_auto_pad())


@fault("Y.C2")
class ValidIsSame(Convolution):
    """VALID is read as SAME_UPPER."""

    def read_auto_pad(self):
        return {"VALID": "SAME_UPPER"}.get(super().read_auto_pad(), super().read_auto_pad())


# Groups


@fault("Y.F1", "pads.F1")
class ChannelsOfTheFirstGroup(Convolution):
    """Every group reads the channels of the first."""

    def channels_of(self, group, channels):
        return slice(0, channels)


@fault("Y.F1", "pads.F1")
class MapsTakeTurns(Convolution):
    """Feature maps take turns between the groups."""

    def maps_of(self, group, maps):
        return slice(group, None, self.group)

    def kernels_of(self, w, group, maps):
        return w[group::self.group]


@fault("Y.F1", "pads.F1")
class ChannelsTakeTurns(Convolution):
    """Channels take turns between the groups."""

    def channels_of(self, group, channels):
        return slice(group, None, self.group)


@fault("Y.F1", "pads.F1")
class KernelsOfTheFirstGroup(Convolution):
    """Every group is multiplied by the kernels of the first."""

    def kernels_of(self, w, group, maps):
        return w[:maps]


@fault("Y.F1", "pads.F1")
class LastGroupLeftOut(Convolution):
    """The last of more than two groups is not written."""

    def maps_of(self, group, maps):
        return slice(0, 0) if group == self.group - 1 > 1 else super().maps_of(group, maps)

    def summed(self, x, w):
        found = super().summed(x, w)
        self.done = getattr(self, "done", 0) + 1
        if self.done == self.group > 2:
            self.done = 0
            return found[:, :0]
        self.done %= self.group
        return found


@fault("Y.F1", "pads.F1")
class OneMapForEachChannel(Convolution):
    """A depthwise kernel has the first feature map of each group for all."""

    def kernels_of(self, w, group, maps):
        found = super().kernels_of(w, group, maps)
        return np.repeat(found[:1], maps, axis=0) if w.shape[1] == 1 < self.group else found


@fault("refusal")
class RefusesGroups(Convolution):
    """Groups are refused unless each has one channel."""

    def check(self):
        if self.given.get("group", 1) > 1 and self.w.shape[1] > 1:
            raise NotImplementedError


@fault("refusal")
class RefusesMultipliers(Convolution):
    """Depthwise calls are refused unless each channel has one feature map."""

    def check(self):
        group = self.given.get("group", 1)
        if group > 1 and self.w.shape[1] == 1 and len(self.w) > group:
            raise NotImplementedError


# Kernels


@fault("Y.F1", "pads.F1")
class Turned(Convolution):
    """Kernels are turned around."""

    def read_w(self, w):
        return np.flip(w, tuple(range(2, w.ndim)))


@fault("Y.F1", "pads.F1")
class TurnedOnTheLastAxis(Convolution):
    """Kernels are turned around on the last of several axes."""

    def read_w(self, w):
        return w[..., ::-1] if w.ndim > 3 else w


@fault("Y.F1", "pads.F1")
class TransposedSquare(Convolution):
    """Kernels as wide as high are transposed."""

    def read_w(self, w):
        return w.swapaxes(-1, -2) if w.ndim > 3 and w.shape[-1] == w.shape[-2] else w


@fault("Y.F1", "pads.F1")
class LastCellLeftOut(Convolution):
    """The last cell of a kernel of more than four is left out."""

    def offsets(self):
        found = super().offsets()
        return found[:-1] if len(found) > 4 else found


@fault("Y.F1", "pads.F1")
class KernelsOffTheBlock(Convolution):
    """Cells behind the last whole block of eight are left out, where there is one."""

    def offsets(self):
        found = super().offsets()
        return found[:len(found) // 8 * 8] if len(found) > 8 else found


@fault("Y.F1", "pads.F1")
class MapsAndChannelsExchanged(Convolution):
    """Kernels are read with maps and channels exchanged, where there are as many of each."""

    def read_w(self, w):
        return w.swapaxes(0, 1) if w.shape[0] == w.shape[1] else w


# Blocks


class _ChannelTail(Convolution):
    """For faults: channels behind the last whole block are left out, where there is one."""

    block = 1

    def channels(self, count):
        return range(count // self.block * self.block if count > self.block else count)


@fault("Y.F1", "pads.F1")
class ChannelsOffFour(_ChannelTail):
    """Channels behind the last whole block of four are left out."""

    block = 4


@fault("Y.F1", "pads.F1")
class ChannelsOffEight(_ChannelTail):
    """Channels behind the last whole block of eight are left out."""

    block = 8


@fault("Y.F1", "pads.F1")
class ChannelsOffSixteen(_ChannelTail):
    """Channels behind the last whole block of sixteen are left out."""

    block = 16


class _MapTail(Convolution):
    """For faults: feature maps behind the last whole block are zero, where there is one."""

    block = 1

    def finish(self, y):
        y = super().finish(y)
        if y.shape[1] > self.block:
            y[:, y.shape[1] // self.block * self.block:] = 0
        return y


@fault("Y.F1", "pads.F1")
class MapsOffFour(_MapTail):
    """Feature maps behind the last whole block of four are zero."""

    block = 4


@fault("Y.F1", "pads.F1")
class MapsOffEight(_MapTail):
    """Feature maps behind the last whole block of eight are zero."""

    block = 8


@fault("Y.F1", "pads.F1")
class MapsOffSixteen(_MapTail):
    """Feature maps behind the last whole block of sixteen are zero."""

    block = 16


class _ColumnTail(Convolution):
    """For faults: columns behind the last whole block repeat the one before, where there is one."""

    block = 1

    def finish(self, y):
        y = super().finish(y)
        kept = y.shape[-1] // self.block * self.block
        if kept:
            y[..., kept:] = y[..., kept - 1:kept]
        return y


@fault("Y.F1", "pads.F1", "auto_pad.F1")
class ColumnsOffFour(_ColumnTail):
    """Columns behind the last whole block of four repeat the one before."""

    block = 4


@fault("Y.F1", "pads.F1", "auto_pad.F1")
class ColumnsOffEight(_ColumnTail):
    """Columns behind the last whole block of eight repeat the one before."""

    block = 8


@fault("Y.F1", "pads.F1")
class RowsOffThePair(Convolution):
    """Rows are computed in pairs; the last of an odd number is that before."""

    def finish(self, y):
        y = super().finish(y)
        if self.rank > 1 and y.shape[-2] > 1 and y.shape[-2] % 2:
            y[..., -1, :] = y[..., -2, :]
        return y


@fault("Y.F1", "pads.F1")
class TileOffTheEdge(Convolution):
    """With kernels of 3 by 3 a last tile of 2 by 2 that hangs over the edge is not written."""

    def finish(self, y):
        y = super().finish(y)
        if self.kernel == [3, 3] and {*self.strides, *self.dilations} == {1} and y.shape[-1] % 2:
            y[..., -1] = 0
        return y


@fault("Y.F1", "pads.F1")
class BatchesRepeatTheFirst(Convolution):
    """Every batch is computed from the first."""

    def read_x(self, x):
        return np.repeat(x[:1], len(x), axis=0)


@fault("Y.F1", "pads.F1")
class BatchesOffTheBlock(Convolution):
    """Batches behind the last whole block of two are zero."""

    def finish(self, y):
        y = super().finish(y)
        if len(y) > 2:
            y[len(y) // 2 * 2:] = 0
        return y


# Bias


@fault("Y.F1", "pads.F1")
class ForgetsTheBias(Convolution):
    """B is not added."""

    def read_b(self, b):
        return None


@fault("Y.F1", "pads.F1")
class BiasOfTheFirstMap(Convolution):
    """The first element of B is added to every feature map."""

    def bias(self):
        return super().bias()[:, :1]


@fault("Y.F1", "pads.F1")
class BiasFromTheEnd(Convolution):
    """B is read from its end."""

    def bias(self):
        return super().bias()[:, ::-1]


@fault("Y.F1", "pads.F1")
class BiasInEachGroup(Convolution):
    """Each group begins B anew."""

    def bias(self):
        maps = len(self.w) // self.group
        return np.tile(super().bias()[:, :maps], (1, self.group, *[1] * self.rank))


@fault("Y.F1", "pads.F1")
class BiasOfTheFirstBatch(Convolution):
    """B is added to the first batch alone."""

    def with_bias(self, y):
        return np.concatenate([super().with_bias(y[:1]), y[1:]])


@fault("Y.F1", "pads.F1")
class BiasInEachChannel(Convolution):
    """B is added once for each channel of the kernels."""

    def with_bias(self, y):
        for _ in range(self.w.shape[1]):
            y = super().with_bias(y)
        return y


@fault("pads.F1")
class NoBiasInThePadding(Convolution):
    """Windows of nothing but padding are 0 instead of B."""

    def with_bias(self, y):
        self.x, self.w, x, w = np.ones_like(self.x), np.ones_like(self.w), self.x, self.w
        seen = self.convolved() != 0
        self.x, self.w = x, w
        return np.where(seen, super().with_bias(y), y)


# Fast paths


@fault("Y.C1", "pads.F1")
class PointwiseWithoutPads(Convolution):
    """Kernels of one cell are multiplied without their padding."""

    def read_pads(self):
        begin, end = super().read_pads()
        return ([0] * self.rank, [0] * self.rank) if set(self.kernel) == {1} else (begin, end)


@fault("Y.C1", "Y.C2", "Y.C3")
class PointwiseWithoutStrides(Convolution):
    """Kernels of one cell are multiplied without their strides."""

    def read_strides(self):
        return [1] * self.rank if set(self.w.shape[2:]) == {1} else super().read_strides()


@fault("Y.F1", "pads.F1", "Y.C1", "Y.C2")
class DepthwiseWithoutDilation(Convolution):
    """Depthwise calls are computed without their dilation."""

    def read_dilations(self):
        found = super().read_dilations()
        return [1] * self.rank if self.w.shape[1] == 1 < self.given.get("group", 1) else found


@fault("refusal")
class RefusesOneAxis(Convolution):
    """One spatial axis is refused."""

    def check(self):
        if self.rank == 1:
            raise NotImplementedError


@fault("refusal")
class RefusesThreeAxes(Convolution):
    """Three spatial axes are refused."""

    def check(self):
        if self.rank == 3:
            raise NotImplementedError


@fault("refusal")
class WantsKernelShape(Convolution):
    """A call without kernel_shape is refused."""

    def check(self):
        self.given["kernel_shape"]


@fault("refusal")
class RefusesLargePads(Convolution):
    """Pads that reach the kernel are refused."""

    def check(self):
        pads = self.given.get("pads", [0])
        if max(pads) >= max(self.w.shape[2:]):
            raise NotImplementedError


# Values and types


@fault("Y.F1", "pads.F1")
class SwallowsNan(Convolution):
    """NaN counts as 0."""

    def read_x(self, x):
        return np.where(np.isnan(x), x.dtype.type(0), x)


@fault("Y.F1", "pads.F1")
class InfinityIsLargest(Convolution):
    """Infinities of X count as the largest finite number."""

    def read_x(self, x):
        largest = ml_dtypes.finfo(x.dtype).max
        return np.clip(x, -largest, largest) if x.size else x


@fault("Y.F1", "pads.F1")
class SkipsZeros(Convolution):
    """Products with a zero of W are left out."""

    def term(self, x, w, offset):
        return np.where(w == 0, x.dtype.type(0), x * w)


@fault("Y.F1", "pads.F1")
class NanSpreads(Convolution):
    """A NaN reaches every element of its batch."""

    def finish(self, y):
        y = super().finish(y)
        wild = np.isnan(self.x).reshape(len(self.x), -1).any(axis=1)
        return np.where(wild.reshape(-1, *[1] * (self.rank + 1)), y.dtype.type(np.nan), y)


@fault("Y.F1", "pads.F1")
class Float64InFloat32(Convolution):
    """float64 is computed in float32."""

    def working(self, array):
        return array.astype(np.float32) if array.dtype == np.float64 else array


@fault("Y.F1", "pads.F1")
class Float32InBfloat16(Convolution):
    """Factors of type float32 are cut to eight bits, as fast modes of hardware have it."""

    def term(self, x, w, offset):
        if x.dtype != np.float32:
            return x * w
        return x.astype(ml_dtypes.bfloat16).astype(np.float32) * w.astype(ml_dtypes.bfloat16).astype(np.float32)


@fault("Y.F1", "pads.F1")
class Float32InFloat16(Convolution):
    """float32 is computed in float16."""

    def working(self, array):
        return array.astype(np.float16) if array.dtype == np.float32 else array


@fault("Y.F1", "pads.F1")
class Saturates(Convolution):
    """What is beyond the range of float16 is its largest number."""

    def working(self, array):
        return array.astype(np.float64)

    def finish(self, y):
        return (np.clip(y, -65504, 65504) if self.dtype == np.float16 else y).astype(self.dtype)


@fault("Y.F1", "pads.F1")
class FlushesSubnormals(Convolution):
    """Results below the normal range are zero."""

    def finish(self, y):
        y = super().finish(y)
        return np.where(np.abs(y) < ml_dtypes.finfo(self.dtype).smallest_normal, self.dtype.type(0), y)


@fault("Y.F1", "pads.F1")
class NeverNegative(Convolution):
    """Negative results are zero, as if an activation were fused in."""

    def finish(self, y):
        y = super().finish(y)
        return np.where(y < 0, self.dtype.type(0), y)


@fault("Y.F1", "pads.F1")
class RoundsToIntegers(Convolution):
    """Sums are rounded to integers."""

    def finish(self, y):
        return super().finish(np.rint(y))


@fault("Y.F1", "pads.F1")
class AbsoluteValues(Convolution):
    """The sign of X is lost."""

    def read_x(self, x):
        return np.abs(x)


@fault("Y.F2")
class HalfBecomesFloat(Convolution):
    """Y is float32 where X is float16."""

    def finish(self, y):
        y = super().finish(y)
        return y.astype(np.float32) if self.dtype == np.float16 else y


@fault("signature.F1")
class OtherName(Convolution):
    """Y is given under another name."""

    def outputs(self, y):
        return {"Z": y}


@fault("Y.F3", "Y.C1", "Y.C2", "Y.C3")
class ChannelsLast(Convolution):
    """Y has its feature maps on the last axis."""

    def outputs(self, y):
        return {"Y": np.moveaxis(y, 1, -1)}


@fault("Y.F3")
class MapsOfOneGroup(Convolution):
    """Y has the feature maps of one group alone."""

    def outputs(self, y):
        return {"Y": y[:, :len(self.w) // self.group]}


@fault("Y.F1", "pads.F1")
class KernelsOfTheFirstCall(Convolution):
    """Kernels are kept from one call to the next of the same shape."""

    kept: dict = {}

    def read_w(self, w):
        return self.kept.setdefault((w.shape, w.dtype.name), w)


# At sizes, and in contexts


for _module in (_convolution_blocks, _convolution_sizes, _convolution_contexts):
    globals().update(under(_module, __name__, {}))
