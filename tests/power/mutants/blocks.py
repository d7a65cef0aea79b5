"""Mutants that are wrong where channels, batches or planes fill blocks, or behind the last block that they fill."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.mutant import MAX, MEAN, breaks
from tests.power.mutants.kernels import FastPath
from tests.power.mutants.paths import ByColumn
from tests.power.mutants.refusals import Refusing


class InBlocks(FastPath):
    """For mutants: whether a layout in blocks of channels is chosen."""

    def fills(self, block: int) -> bool:
        """Whether the channels fill blocks of this size."""
        return self.channels > 0 and self.channels % block == 0


# Channels that fill blocks


@breaks("auto_pad.F1", source="ONNX Runtime from 1.22 on ends its process, where the kernel is above X")
class DilatedColumnsInBlocks(Refusing):
    """Refuses SAME with a dilated kernel of one column where the channels fill blocks of 16."""

    def refused(self):
        column = self.rank > 1 and self.kernel[-1] == 1 and max(self.dilations) > 1
        same = self.given.get("auto_pad", "NOTSET").startswith("SAME")
        return column and same and self.channels % 16 == 0


@breaks("pads.F1", of=MAX)
class PadsWithZeroInBlocks(InBlocks):
    """Where the channels fill blocks of 16, padding counts as 0."""

    def maximum(self, tap):
        y = super().maximum(tap)
        floored = np.maximum(y, np.zeros((), self.dtype))
        return np.where(self.mask.all(axis=1), y, floored) if self.fills(16) else y


@breaks("pads.F1", of=MEAN)
class CountsNoPaddingInBlocks(InBlocks):
    """Where the channels fill blocks of 16, padding never counts."""

    def counts_padding(self):
        return super().counts_padding() and not self.fills(16)


@breaks("Y.C2", "Y.C3")
class CeilModeForgottenInBlocks(InBlocks):
    """Where the channels fill blocks of eight, ceil_mode is not read."""

    def read_ceil(self):
        return super().read_ceil() and not self.fills(8)


@breaks("Y.F1")
class DilationForgottenInBlocks(InBlocks):
    """Where the channels fill blocks of four, windows are laid out without dilation."""

    def offsets(self, a):
        return np.arange(self.kernel[a]) if self.fills(4) else super().offsets(a)


@breaks("Indices.F1", of=MAX)
class IndicesInBlocks(InBlocks):
    """Where the channels fill blocks of eight, Indices count in memory that has the channels of a block side by side.
    """

    def index(self, tap):
        found = super().index(tap)
        if not self.fills(8):
            return found
        plane, cell = np.divmod(found, max(prod(self.sizes), 1))
        return (plane // 8 * prod(self.sizes) + cell) * 8 + plane % 8


@breaks("Y.F1")
class TwoByTwoOfManyChannels(InBlocks):
    """Kernel 2x2 with stride 2 over 32 channels and more: the second row of the window is not read."""

    def offsets(self, a):
        first = self.has(2, 2) and self.channels >= 32 and a == self.rank - 2
        return super().offsets(a)[:1] if first else super().offsets(a)


# Channels behind the last block


@breaks("Y.F1")
class ChannelsOffSixteen(ByColumn):
    """Channels behind the last whole block of 16 are the first of that block, where there is one."""

    def spoil(self, output):
        rest = self.channels // 16 * 16
        if rest:
            output[:, rest:] = output[:, rest - 16:rest - 16 + self.channels % 16]


@breaks("Y.F1")
class LastChannelOff32(ByColumn):
    """Of more than 32 channels that do not fill blocks of 32 the last is not written."""

    def spoil(self, output):
        if self.channels > 32 and self.channels % 32:
            output[:, -1] = 0


@breaks("Y.F1")
class ChannelsAbove64(InBlocks):
    """Channels from the 65th on read those of the first 64."""

    def plane_starts(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return (batch * self.channels + channel % 64) * prod(self.sizes)


# Batches and planes


@breaks("Y.F1")
class BatchesOffFour(ByColumn):
    """Batches are computed four by four; of more than four, those that are left over are not written."""

    def spoil(self, output):
        if self.batches > 4:
            output[self.batches // 4 * 4:] = 0


@breaks("Y.F1")
class BatchesAbove32(InBlocks):
    """Batches from the 33rd on read those of the first 32."""

    def plane_starts(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return (batch % 32 * self.channels + channel) * prod(self.sizes)


@breaks("Indices.F1", of=MAX)
class IndexWithinFourBatches(InBlocks):
    """Batches are computed four by four; Indices count from the first of their four."""

    def index_of_plane(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return ((batch % 4 * self.channels + channel) * prod(self.sizes))[:, None]


@breaks("Y.F1")
class PlanesOffFourThreads(ByColumn):
    """Planes are shared out among four threads; of more than four, those that are left over are the first."""

    def spoil(self, output):
        planes = output.reshape(self.batches * self.channels, *self.counts)
        if len(planes) > 4:
            planes[len(planes) // 4 * 4:] = planes[:1]


# Rows, and all of Y


@breaks("Y.F1")
class StripsOf32Windows(InBlocks):
    """Kernel 3x3 with stride 2: rows are computed in strips of 32 windows; the first window of a later strip does not
    see its first column."""

    def inside(self, a, places):
        inside = super().inside(a, places)
        if self.has(3, 2) and a == self.rank - 1:
            inside[32::32, 0] = False
        return inside


@breaks("Y.F1")
class RowsAbove32(ByColumn):
    """Rows of windows from the 33rd on are the 32nd."""

    def spoil(self, output):
        if self.rank > 1:
            output[..., 32:, :] = output[..., 31:32, :]


@breaks("Y.F1")
class OutputsOf16Bits(ByColumn):
    """Elements of Y are counted in 16 bits; those from the 65537th on are not written."""

    def spoil(self, output):
        output.reshape(-1)[2**16:] = 0


@breaks("Y.F1")
class OutputsOf16BitsOfOtherTypes(ByColumn):
    """The same of every type but float32."""

    def spoil(self, output):
        if self.dtype != np.float32:
            output.reshape(-1)[2**16:] = 0


@breaks("Y.F1")
class LastRowOfLargePlanes(ByColumn):
    """Of every type but float32, the last row of a plane of more than 1,024 windows is not written."""

    def spoil(self, output):
        if self.dtype != np.float32 and prod(self.counts) > 1024:
            output.reshape(-1, *self.counts)[:, -1] = 0


@breaks("Y.F1")
class BatchesOf64(ByColumn):
    """Batches from the 65th on are not written."""

    def spoil(self, output):
        output[64:] = 0


@breaks("Y.F1")
class PlanesCountedInAByte(ByColumn):
    """Of every type but float32, planes from the 257th on are not written."""

    def spoil(self, output):
        if self.dtype != np.float32:
            output.reshape(-1, *self.counts)[256:] = 0
