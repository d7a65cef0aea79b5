"""Mutants that are wrong on a fast path for one shape of X or Y, in one form, or for one type."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks

# One shape of X or Y


class ByColumn(Pooling):
    """For mutants: writes some windows of each row wrongly, as a vector kernel does."""

    def spoil(self, output: np.ndarray) -> None:
        """Changes an output in place."""

    def lay_out(self, flat):
        output = super().lay_out(flat).copy()
        self.spoil(output)
        return output


@breaks("Y.F1")
class WidthOffTheVector(ByColumn):
    """Where a row has more than four windows, those behind the last multiple of four are not written."""

    def spoil(self, output):
        if self.counts[-1] > 4 and self.counts[-1] % 4:
            output[..., self.counts[-1] // 4 * 4:] = 0


@breaks("Y.F1")
class WidthOffTheWideVector(ByColumn):
    """Where a row has more than eight windows, those behind the last multiple of eight repeat the one before."""

    def spoil(self, output):
        if self.counts[-1] > 8 and self.counts[-1] % 8:
            rest = self.counts[-1] // 8 * 8
            output[..., rest:] = output[..., rest - 1:rest]


@breaks("Y.F1")
class RowsOffThePair(ByColumn):
    """Rows of windows are computed in pairs; the last of an odd number is that before."""

    def spoil(self, output):
        if self.rank > 1 and self.counts[-2] > 1 and self.counts[-2] % 2:
            output[..., -1, :] = output[..., -2, :]


@breaks("Y.F1", source="https://github.com/tenstorrent/tt-metal/issues/15731")
class ChannelsOffTheBlock(ByColumn):
    """Channels behind the last whole block of eight are not written, where there is one."""

    def spoil(self, output):
        if self.channels > 8:
            output[:, self.channels // 8 * 8:] = 0


@breaks("Y.F1")
class ChannelsAboveEight(Pooling):
    """Channels from the ninth on read those of the first block of eight."""

    def plane_starts(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return (batch * self.channels + channel % 8) * prod(self.sizes)


@breaks("Y.F1")
class OddPlaneMissing(ByColumn):
    """Planes are shared out between two threads; the last of an odd number above one is not written."""

    def spoil(self, output):
        planes = self.batches * self.channels
        if planes > 1 and planes % 2:
            output[-1, -1] = 0


@breaks("Y.F1")
class ChannelsOfTheFirstOfSeveralBatches(Pooling):
    """With several batches of several channels every batch reads as many channels as there are batches."""

    def plane_starts(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        several = self.batches > 1 and self.channels > self.batches
        return (batch * self.channels + (channel % self.batches if several else channel)) * prod(self.sizes)


@breaks("Y.F1")
class SeamOfATile(Pooling):
    """A plane is cut into tiles of 16 columns; a window across a seam does not see the next tile."""

    def inside(self, a, places):
        inside = super().inside(a, places)
        if a == self.rank - 1 and self.sizes[a] > 16:
            inside &= (places // 16 == places[:, :1] // 16)
        return inside


@breaks("Y.F1")
class SeamOfARowTile(Pooling):
    """A plane is cut into tiles of eight rows; a window across a seam does not see the next tile."""

    def inside(self, a, places):
        inside = super().inside(a, places)
        if self.rank > 1 and a == self.rank - 2 and self.sizes[a] > 8:
            inside &= (places // 8 == places[:, :1] // 8)
        return inside


@breaks("Indices.F1", of=MAX)
class IndexOfSmallTensors(Pooling):
    """Where X has no more than 1024 elements the index wraps at 256."""

    def index(self, tap):
        found = super().index(tap)
        return found & 255 if self.x.size <= 1024 else found


@breaks("Indices.F1", of=MAX)
class IndexOfLargePlanes(Pooling):
    """Where a plane has more than 2048 elements the index passes through a number of eleven binary digits."""

    def index(self, tap):
        found = super().index(tap)
        return found.astype(np.float16).astype(np.int64) if prod(self.sizes) > 2048 else found


@breaks("Indices.F1", of=MAX)
class IndexOfLaterBatches(Pooling):
    """With more than one batch the index of the later ones leaves out the channel."""

    def index_of_plane(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return ((batch * self.channels + np.where(batch > 0, 0, channel)) * prod(self.sizes))[:, None]


# One form, one type


@breaks("Y.F1", "float.pads.F1", of=MAX, source="ONNX Runtime from 1.29 on: float32 without Indices")
class LowestNumberWithoutIndices(Pooling):
    """Without Indices the search of a kernel for float32 starts at the lowest finite value."""

    def maximum(self, tap):
        y = super().maximum(tap)
        path = not self.with_indices and self.dtype == np.float32
        return np.maximum(y, np.finfo(np.float32).min) if path else y


@breaks("float.Y.F1", of=MAX, source="ONNX Runtime from 1.29 on: float32 without Indices")
class NanWithoutIndices(Pooling):
    """Without Indices a kernel for float32 gives NaN where one stands in the second half of a window."""

    def maximum(self, tap):
        y = super().maximum(tap)
        half = self.mask.shape[1] // 2
        nan = (self.mask & (self.values != self.values))[..., half:].any(axis=2)
        path = not self.with_indices and self.dtype == np.float32
        return np.where(nan, np.float32(np.nan), y) if path else y


@breaks("Y.F1", of=MAX)
class DilationForgottenWithoutIndices(Pooling):
    """Without Indices windows are laid out without dilation."""

    def offsets(self, a):
        return super().offsets(a) if self.with_indices else np.arange(self.kernel[a])


@breaks("Y.F1", of=MAX)
class PadForgottenWithIndices(Pooling):
    """With Indices windows begin at m*s, as if there were no padding at the beginning."""

    def starts(self, a):
        return super().starts(a) + (self.begin[a] if self.with_indices else 0)


@breaks("float.Y.F1", of=MAX, source="https://github.com/tensorflow/tensorflow/issues/125965")
class NanByTheNumberOfChannels(Pooling):
    """With an odd number of channels above 1, a NaN in a window of float64 leaves the first value as maximum."""

    def maximum(self, tap):
        y = super().maximum(tap)
        path = self.channels % 2 and self.channels > 1 and self.dtype == np.float64
        nan = (self.mask & (self.values != self.values)).any(axis=2)
        return np.where(nan, self.values[..., 0], y) if path else y


@breaks("Y.F1", of=MAX)
class SignedBytesThreeByThree(Pooling):
    """Kernel 3x3 over int8 compares without sign."""

    def keys(self):
        path = self.dtype == np.int8 and prod(self.kernel) == 9
        return self.values.view(np.uint8) if path else self.values


@breaks("Y.F1", of=MAX)
class SearchOfDoublesStartsAtTheLowestSingle(Pooling):
    """The search over float64 starts at the lowest finite float32."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.maximum(y, float(np.finfo(np.float32).min)) if self.dtype == np.float64 else y


@breaks("pads.F1", of=MEAN)
class TwoByTwoDividesByFour(Pooling):
    """Kernel 2x2: the divisor is 4 at the border too."""

    def divisor(self):
        return np.full(len(self.mask), 4) if self.rank == 2 and self.kernel == [2, 2] else super().divisor()


@breaks("Y.F1", of=MEAN)
class LargeWindowsAddInHalf(Pooling):
    """Windows of more than eight taps are added in float16."""

    def total(self):
        if self.mask.shape[1] <= 8 or self.dtype == np.float16:
            return super().total()
        return np.add.accumulate(self.addends().astype(np.float16), axis=2, dtype=np.float16)[..., -1]


@breaks("pads.F1", of=MEAN)
class CountsNoPaddingOfThreeAxes(Pooling):
    """With three spatial axes padding never counts."""

    def counts_padding(self):
        return super().counts_padding() and self.rank < 3


@breaks("pads.F1", of=MEAN)
class CountsNoPaddingOfDilatedWindows(Pooling):
    """With dilation padding never counts."""

    def counts_padding(self):
        return super().counts_padding() and max(self.dilations) == 1


@breaks("pads.F1", of=MEAN)
class CountsPaddingAtTheLaterOpsetAlone(Pooling):
    """count_include_pad is read from opset 19 on."""

    def counts_padding(self):
        return super().counts_padding() and self.request.opset >= 19
