"""Faults of convolutions that show only at numbers of channels, feature maps, batches and groups, as in kernels that
compute several of them at once."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import fault
from tests.operators.onnx._convolution import Convolution

VALUES = ("Y.F1", "pads.F1", "auto_pad.F1")


def is_depthwise(self):
    """Whether each group has one channel."""
    return self.w.shape[1] == 1 < self.group


# Channels and feature maps that fill blocks


@fault(*VALUES)
class GapsForgottenInBlocks(Convolution):
    """Where channels and feature maps fill blocks of sixteen, the cells that are read have no gaps between them."""

    def slices(self, offset):
        kept = self.dilations
        if not (self.w.shape[1] % 16 or len(self.w) % 16):
            self.dilations = [1] * self.rank
        found = super().slices(offset)
        self.dilations = kept
        return found


@fault("pads.F1", "auto_pad.F1")
class PaddingInBlocksIsTheEdge(Convolution):
    """Where channels fill blocks of eight, padding cells are those of the edge of X."""

    def fill(self, x, width):
        return np.pad(x, width, mode="edge") if x.size and x.shape[1] % 8 == 0 else super().fill(x, width)


@fault(*VALUES)
class GroupsOfWholeBlocks(Convolution):
    """Where the channels of a group fill blocks of four, every group reads the channels of the first."""

    def channels_of(self, group, channels):
        return slice(0, channels) if channels and channels % 4 == 0 else super().channels_of(group, channels)


@fault(*VALUES)
class ThreeChannelsTurned(Convolution):
    """Where X has three channels and the feature maps fill blocks of eight, the channels are read from the last."""

    def kernels_of(self, w, group, maps):
        found = super().kernels_of(w, group, maps)
        return found[:, ::-1] if w.shape[1] == 3 and len(w) % 8 == 0 else found


# Tails of many channels and feature maps


@fault(*VALUES)
class ChannelsOffThirtyTwo(Convolution):
    """Channels behind the last whole block of 32 are left out, where there is one."""

    def channels(self, count):
        return range(count // 32 * 32 or count)


@fault(*VALUES)
class ChannelsStartAnew(Convolution):
    """From the 65th channel on the sum begins anew."""

    def summed(self, x, w):
        last = (w.shape[1] - 1) // 64 * 64
        return super().summed(x[:, last:], w[:, last:])


@fault(*VALUES)
class MapsOffSixtyFour(Convolution):
    """Feature maps behind the last whole block of 64 are those of the first, where there is one."""

    def finish(self, y):
        y = super().finish(y)
        kept = y.shape[1] // 64 * 64
        if kept:
            y[:, kept:] = y[:, :y.shape[1] - kept]
        return y


@fault(*VALUES)
class KernelsBehindAreShifted(Convolution):
    """Behind the last whole block of 32 feature maps the kernels are those one further on, as far as there are any."""

    def read_w(self, w):
        kept = len(w) // 32 * 32
        return np.concatenate([w[:kept], w[kept + 1:], w[-1:]]) if kept and len(w) > kept else w


@fault(*VALUES)
class BiasOfTheFirstBlock(Convolution):
    """B is added to the first sixteen feature maps alone."""

    def bias(self):
        found = super().bias().copy()
        found[:, 16:] = 0
        return found


# Batches


@fault(*VALUES)
class BatchesOffFour(Convolution):
    """Batches behind the last whole block of four are the one before, where there is a block."""

    def finish(self, y):
        y = super().finish(y)
        kept = len(y) // 4 * 4
        if kept:
            y[kept:] = y[kept - 1]
        return y


@fault(*VALUES)
class BiasOfFourBatches(Convolution):
    """B is added to the first four batches alone."""

    def with_bias(self, y):
        return np.concatenate([super().with_bias(y[:4]), y[4:]])


@fault(*VALUES)
class PlanesOffTheThreads(Convolution):
    """The planes of all batches are dealt to four workers; those left over are zero, where there are more than sixteen.
    """

    def finish(self, y):
        y = np.ascontiguousarray(super().finish(y))
        planes = y.reshape(len(y) * y.shape[1], -1) if y.size else y
        if len(planes) > 16:
            planes[len(planes) // 4 * 4:] = 0
        return y


# Groups


@fault(*VALUES)
class DepthwiseOffSixteen(Convolution):
    """Depthwise channels behind the last whole block of sixteen take the kernels from the first on."""

    def kernels_of(self, w, group, maps):
        tail = self.group // 16 * 16
        behind = is_depthwise(self) and 0 < tail <= group
        return super().kernels_of(w, group - tail if behind else group, maps)


@fault(*VALUES)
class DepthwiseOnEvenWidths(Convolution):
    """Depthwise kernels of 3 by 3 with stride 2 have no last column where X has an even number of columns."""

    def finish(self, y):
        y = super().finish(y)
        if is_depthwise(self) and self.kernel == [3, 3] and self.strides == [2, 2] and self.x.shape[-1] % 2 == 0:
            y[..., -1:] = 0
        return y


@fault(*VALUES)
class MultipliersTakeTurns(Convolution):
    """From eight depthwise channels on, the several feature maps of each take turns."""

    def kernels_of(self, w, group, maps):
        return w[group::self.group] if is_depthwise(self) and self.group >= 8 else super().kernels_of(w, group, maps)


@fault(*VALUES)
class GroupsBeyondThirtyTwo(Convolution):
    """Groups behind the 32nd read the channels of the 32nd."""

    def channels_of(self, group, channels):
        return super().channels_of(min(group, 31), channels)
