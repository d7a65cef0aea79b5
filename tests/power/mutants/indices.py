"""Mutants whose Indices count something else, or point at another of several maxima."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from tests.power.implementation import Pooling, at_tap
from tests.power.mutant import MAX, breaks

# What the index counts


@breaks("Indices.F1", of=MAX, source="https://github.com/sonos/tract/pull/2860")
class IndexInThePlane(Pooling):
    """The index leaves out batch and channel."""

    def index_of_plane(self):
        return np.zeros((self.batches * self.channels, 1), dtype=np.int64)


@breaks("Indices.F1", of=MAX, source="https://github.com/tensorflow/tensorflow/issues/22025")
class IndexInTheBatch(Pooling):
    """The index leaves out the batch."""

    def index_of_plane(self):
        return np.tile(super().index_of_plane()[:self.channels], (self.batches, 1))


@breaks("Indices.F1", of=MAX)
class IndexWithoutChannel(Pooling):
    """The index leaves out the channel."""

    def index_of_plane(self):
        return super().index_of_plane().reshape(self.batches, -1)[:, :1].repeat(self.channels, axis=1).reshape(-1, 1)


@breaks("Indices.F1", of=MAX)
class IndexOfBatchesAChannelApart(Pooling):
    """In the index the step from batch to batch is one channel."""

    def index_of_plane(self):
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        return (batch + channel)[:, None] * prod(self.sizes)


@breaks("Indices.F1", of=MAX)
class IndexOfPlanesOfTheOutput(Pooling):
    """In the index the step from plane to plane is a plane of Y."""

    def index_of_plane(self):
        return np.arange(self.batches * self.channels)[:, None] * prod(self.counts)


@breaks("Indices.F1", of=MAX)
class IndexOfPaddedPlanes(Pooling):
    """In the index the step from plane to plane is a plane of X with its padding."""

    def index_of_plane(self):
        padded = map(sum, zip(self.sizes, self.begin, self.end, strict=True))
        return np.arange(self.batches * self.channels)[:, None] * (prod(padded) % 2**62)


@breaks("Indices.F1", of=MAX, source="https://github.com/onnx/onnx-tensorflow/issues/719")
class IndexWithChannelsLast(Pooling):
    """The index counts X with its channels last."""

    def index(self, tap):
        cell = [at_tap(part, tap) for part in self.coordinates]
        batch, channel = np.divmod(np.arange(self.batches * self.channels), max(self.channels, 1))
        inside = self.index_in_plane(cell)
        return (batch[:, None] * prod(self.sizes) + inside) * self.channels + channel[:, None]


@breaks("Indices.F1", of=MAX)
class IndexInPaddedX(Pooling):
    """The index counts X with its padding, cells and rows."""

    def index_in_plane(self, cell):
        index = 0
        for part, size, begin, end in zip(cell, self.sizes, self.begin, self.end, strict=True):
            index = index * (size + begin + end) + part + begin
        return index


@breaks("Indices.F1", of=MAX)
class IndexByPaddedRows(Pooling):
    """In the index the step from row to row is the width of X and its padding."""

    def index_in_plane(self, cell):
        index = 0
        for part, size, begin, end in zip(cell, self.sizes, self.begin, self.end, strict=True):
            index = index * (size + begin + end) + part
        return index


@breaks("Indices.F1", of=MAX)
class IndexWithThePad(Pooling):
    """The index is that of a cell moved by the padding at the beginning."""

    def index_in_plane(self, cell):
        return super().index_in_plane([part + begin for part, begin in zip(cell, self.begin, strict=True)])


@breaks("Indices.F1", of=MAX)
class IndexByHeight(Pooling):
    """The index is h*H + w: the height stands for the width."""

    def index_in_plane(self, cell):
        return cell[0] * self.sizes[0] + cell[1] if self.rank == 2 else super().index_in_plane(cell)


@breaks("Indices.F1", of=MAX)
class IndexByTheWidthOfTheOutput(Pooling):
    """In the index the step from row to row is the width of Y."""

    def index_in_plane(self, cell):
        return cell[0] * self.counts[1] + cell[1] if self.rank == 2 else super().index_in_plane(cell)


@breaks("Indices.F1", of=MAX)
class IndexOfVolumesFlat(Pooling):
    """With three spatial axes the index leaves out the first."""

    def index_in_plane(self, cell):
        return super().index_in_plane([cell[0] * 0, *cell[1:]] if self.rank > 2 else cell)


@breaks("Indices.F2", of=MAX)
class ColumnMajorByWidth(Pooling):
    """With storage_order 1 the index is h + w*W."""

    def index_in_plane(self, cell):
        swapped = self.rank == 2 and self.column_major()
        return cell[0] + cell[1] * self.sizes[1] if swapped else super().index_in_plane(cell)


@breaks("Indices.F1", of=MAX)
class IndexInTheWindow(Pooling):
    """The index is that of the tap in its window."""

    def index(self, tap):
        return tap


@breaks("Indices.F1", of=MAX)
class IndexOfTheFirstCell(Pooling):
    """The index is that of the first cell of the window."""

    def index(self, tap):
        return super().index(np.zeros_like(tap))


@breaks("Indices.F1", of=MAX)
class IndexOfTheWindow(Pooling):
    """The index is that of the window in Y."""

    def index(self, tap):
        return np.arange(tap.size).reshape(tap.shape)


@breaks("Indices.F1", of=MAX)
class IndexWithoutDilation(Pooling):
    """The index counts from the first cell of the window as if there were no dilation."""

    def index(self, tap):
        cells = np.unravel_index(tap, self.kernel)
        cell = [at_tap(part, tap) - at * (dilation - 1)
                for part, at, dilation in zip(self.coordinates, cells, self.dilations, strict=True)]
        return self.index_of_plane() + self.index_in_plane(cell)


@breaks("Indices.F1", of=MAX)
class IndexWithoutStride(Pooling):
    """The index counts from m instead of m*s."""

    def index(self, tap):
        windows = np.unravel_index(np.arange(prod(self.counts)), self.counts)
        cell = [at_tap(part, tap) - window * (stride - 1)
                for part, window, stride in zip(self.coordinates, windows, self.strides, strict=True)]
        return self.index_of_plane() + self.index_in_plane(cell)


@breaks("Indices.F1", of=MAX)
class IndexFromOne(Pooling):
    """Indices begin at 1."""

    def index(self, tap):
        return super().index(tap) + 1


@breaks("Indices.F1", of=MAX, source="https://github.com/pytorch/pytorch/pull/1466")
class IndexNeverSet(Pooling):
    """The index is set only for a value above the lowest, and is -1 until then; 0 where there is nothing to find."""

    def index(self, tap):
        never = ~(self.maximum(tap) > lowest_number(self.dtype)) & self.mask.any(axis=1)
        return np.where(never, -1, super().index(tap))


@breaks("Indices.F4", of=MAX)
class IndexOfNothingBeforeX(Pooling):
    """The index of a window that selects no element of X is -4."""

    def index(self, tap):
        return np.where(self.mask.any(axis=1), super().index(tap), -4)


def lowest_number(dtype: np.dtype) -> float | int:
    """The lowest value of the type that is no infinity."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else ml_dtypes.finfo(dtype).min


# Which of several


@breaks("Indices.F2", of=MAX)
class LastTieWins(Pooling):
    """The last of equal maxima gives the index."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        last = ties.shape[2] - 1 - np.argmax(ties[..., ::-1], axis=2)
        return super().index(np.where(ties.any(axis=2), last, tap))


@breaks("Indices.F2", of=MAX)
class LeftmostTieWins(Pooling):
    """The leftmost of equal maxima gives the index, of several the topmost."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        order = np.arange(prod(self.kernel)).reshape(self.kernel).T.ravel()
        return super().index(np.where(ties.any(axis=2), order[np.argmax(ties[..., order], axis=2)], tap))


@breaks("Indices.F2", of=MAX)
class LastOfTheFirstRowWins(Pooling):
    """Rows are searched from the right; of equal maxima in a row the last gives the index."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        order = np.arange(prod(self.kernel)).reshape(self.kernel)[..., ::-1].ravel()
        return super().index(np.where(ties.any(axis=2), order[np.argmax(ties[..., order], axis=2)], tap))


@breaks("Indices.F2", of=MAX)
class NegativeZeroIsLess(Pooling):
    """-0 is taken for less than +0, as by IEEE 754's totalOrder."""

    def index(self, tap):
        if self.dtype.kind != "f":
            return super().index(tap)
        zero = at_tap(self.values, tap) == 0
        positive = self.candidates & (self.values == 0) & ~np.signbit(self.values)
        return super().index(np.where(zero & positive.any(axis=2), np.argmax(positive, axis=2), tap))


@breaks("float.Indices.F1", of=MAX)
class IndexOfTheNan(Pooling):
    """The first NaN of the window gives the index."""

    def index(self, tap):
        nan = self.mask & (self.values != self.values)
        return super().index(np.where(nan.any(axis=2), np.argmax(nan, axis=2), tap))


@breaks("float.Indices.F1", of=MAX, source="ONNX Runtime from 1.29 on, with Indices")
class IndexOfALeadingNan(Pooling):
    """A NaN in the first cell of the window gives the index."""

    def index(self, tap):
        nan = (self.values != self.values)[..., 0] & self.mask[:, 0]
        return super().index(np.where(nan, 0, tap))
