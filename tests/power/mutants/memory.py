"""Mutants that read X or write the outputs in another order, or in another type."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import breaks

# Rows and planes of X


@breaks("Y.F1")
class RowsOfHeight(Pooling):
    """The step from row to row is the height of X."""

    def pitches(self):
        pitches = super().pitches()
        return [*pitches[:-2], self.sizes[-2], 1] if self.rank > 1 else pitches


@breaks("Y.F1")
class RowsOfThePaddedWidth(Pooling):
    """The step from row to row is the width of X and its padding."""

    def pitches(self):
        pitches = super().pitches()
        return [*pitches[:-2], self.sizes[-1] + self.begin[-1] + self.end[-1], 1] if self.rank > 1 else pitches


@breaks("Y.F1")
class Transposed(Pooling):
    """X is read with its two last axes exchanged."""

    def pitches(self):
        pitches = super().pitches()
        return [*pitches[:-2], 1, self.sizes[-2]] if self.rank > 1 else pitches


@breaks("Y.F1")
class VolumesOfOnePlane(Pooling):
    """With three spatial axes the step from plane to plane is one row."""

    def pitches(self):
        pitches = super().pitches()
        return [pitches[-2], *pitches[1:]] if self.rank > 2 else pitches


@breaks("Y.F1")
class FirstChannelForAll(Pooling):
    """Every channel reads the first."""

    def plane_starts(self):
        return super().plane_starts().reshape(self.batches, -1)[:, :1].repeat(self.channels, axis=1).ravel()


@breaks("Y.F1")
class FirstBatchForAll(Pooling):
    """Every batch reads the first."""

    def plane_starts(self):
        return np.tile(super().plane_starts()[:self.channels], self.batches)


@breaks("Y.F1")
class BatchesAChannelApart(Pooling):
    """The step from batch to batch is one channel."""

    def plane_starts(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return (batch + channel) * int(np.prod(self.sizes))


@breaks("Y.F1")
class PlanesOfASquare(Pooling):
    """The step from plane to plane is the square of the width."""

    def plane_starts(self):
        return np.arange(self.batches * self.channels) * self.sizes[-1] ** self.rank


@breaks("Y.F1")
class BatchAndChannelRead(Pooling):
    """Batch and channel of X are exchanged in memory."""

    def plane_starts(self):
        return super().plane_starts().reshape(self.batches, self.channels).ravel(order="F")


# What is written


@breaks("Y.F3")
class BatchAndChannelWritten(Pooling):
    """Batch and channel of the outputs are exchanged."""

    def lay_out(self, flat):
        return super().lay_out(flat).swapaxes(0, 1)


@breaks("Y.C1")
class SpatialAxesWritten(Pooling):
    """The last two axes of the outputs are exchanged."""

    def lay_out(self, flat):
        return super().lay_out(flat).swapaxes(-1, -2) if self.rank > 1 else super().lay_out(flat)


@breaks("Y.F3")
class BatchFolded(Pooling):
    """The batch is folded into the channels."""

    def lay_out(self, flat):
        return super().lay_out(flat).reshape(1, self.batches * self.channels, *self.counts)


@breaks("Y.C1")
class ChannelsLast(Pooling):
    """The outputs have their channels last."""

    def lay_out(self, flat):
        return np.moveaxis(super().lay_out(flat), 1, -1)


@breaks("Y.C1")
class BatchOfOneSqueezed(Pooling):
    """A batch of one is no axis of the outputs."""

    def lay_out(self, flat):
        output = super().lay_out(flat)
        return output[0] if self.batches == 1 else output


@breaks("Y.F1")
class LastBatchNotWritten(Pooling):
    """The last of several batches is left zero."""

    def lay_out(self, flat):
        output = super().lay_out(flat)
        if self.batches > 1:
            output[-1] = 0
        return output


@breaks("Y.F1")
class LastRowNotWritten(Pooling):
    """The last of several rows of windows is left zero."""

    def lay_out(self, flat):
        output = super().lay_out(flat)
        if self.counts[0] > 1:
            output[:, :, -1] = 0
        return output


@breaks("Y.F2")
class YInDouble(Pooling):
    """Y is float64, whatever X is."""

    def finish(self, y):
        return self.lay_out(y.astype(np.float64))


@breaks("Y.F2")
class HalfAnsweredInSingle(Pooling):
    """Y of float16 is float32."""

    def finish(self, y):
        return super().finish(y).astype(np.float32 if self.dtype == np.float16 else self.dtype)


@breaks("signature.F1")
class YNotGiven(Pooling):
    """Y is never given."""

    def outputs(self):
        return {name: array for name, array in super().outputs().items() if name != "Y"}
