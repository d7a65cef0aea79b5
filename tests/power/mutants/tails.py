"""Mutants that are wrong behind the last whole vector of a row or of a window, by the width of the element type."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.implementation import Pooling, lowest
from tests.power.mutant import MAX, MEAN, breaks
from tests.power.mutants.kernels import FastPath
from tests.power.mutants.paths import ByColumn

# Rows of windows


@breaks("Y.F1")
class RowOfHalvesOffSixteen(ByColumn):
    """float16: in a row of more than 16 windows those behind the last multiple of 16 are not written."""

    def spoil(self, output):
        if self.dtype == np.float16 and self.counts[-1] > 16:
            output[..., self.counts[-1] // 16 * 16:] = 0


@breaks("Y.F1", of=MAX)
class RowOfBytesOff32(ByColumn):
    """int8 and uint8: in a row of more than 32 windows those behind the last multiple of 32 repeat the one before."""

    def spoil(self, output):
        rest = self.counts[-1] // 32 * 32
        if self.dtype.itemsize == 1 and rest:
            output[..., rest:] = output[..., rest - 1:rest]


@breaks("Y.F1")
class RowOfDoublesOffFour(Pooling):
    """float64: in a row of more than four windows those behind the last multiple of four pass through float32."""

    def finish(self, y):
        output = super().finish(y).copy()
        if self.dtype == np.float64 and self.counts[-1] > 4:
            rest = output[..., self.counts[-1] // 4 * 4:]
            rest[...] = rest.astype(np.float32)
        return output


@breaks("Y.F1")
class RowOfWholeVectors(ByColumn):
    """A row of two or more whole vectors of 16 windows: the loop ends one vector early."""

    def spoil(self, output):
        if self.counts[-1] > 16 and self.counts[-1] % 16 == 0:
            output[..., -16:] = 0


# Windows


class OfTaps(FastPath):
    """For mutants: of each window only the first `kept()` taps are read."""

    def kept(self) -> int:
        """How many."""
        return self.taps

    @property
    def taps(self) -> int:
        """The cells of a window."""
        return prod(self.kernel)

    def over_all_of_x(self) -> bool:
        """Whether one window of more than 49 cells is all of X."""
        return self.kernel == self.sizes and self.taps > 49 and not self.padded() and not self.dilated()

    @property
    def candidates(self):
        return super().candidates & (np.arange(self.mask.shape[1]) < self.kept())

    def addends(self):
        return super().addends()[..., :self.kept()]


@breaks("Y.F1")
class TapsOffEight(OfTaps):
    """float32: of a window of more than eight cells those behind the last multiple of eight are left out."""

    def kept(self):
        return self.taps // 8 * 8 if self.dtype == np.float32 and self.taps > 8 else self.taps


@breaks("Y.F1")
class TapsOff32(OfTaps):
    """Of a window of more than 32 cells those behind the last multiple of 32 are left out."""

    def kept(self):
        return self.taps // 32 * 32 if self.taps > 32 else self.taps


@breaks("Y.F1")
class PaddedWindowsOf32Cells(OfTaps):
    """Which cells of a window lie in X is kept in 32 bits: where there is padding, those from the 33rd on do not."""

    def kept(self):
        return 32 if self.padded() else self.taps


@breaks("Y.F1")
class WindowOverXLosesItsLastCell(OfTaps):
    """A window of more than 49 cells over all of X leaves out the last."""

    def kept(self):
        return self.taps - self.over_all_of_x()


@breaks("Y.F1", of=MEAN)
class WindowOverXAddsDoublesInSingle(OfTaps):
    """The mean of more than 49 cells of float64 over all of X is added in float32."""

    def total(self):
        if self.dtype != np.float64 or not self.over_all_of_x():
            return super().total()
        return np.add.accumulate(self.addends().astype(np.float32), axis=2, dtype=np.float32)[..., -1]


@breaks("Y.F1", of=MEAN)
class LargeWindowsByAReciprocalInHalf(OfTaps):
    """The sum of more than 256 cells is multiplied by a reciprocal of float16."""

    def mean(self):
        reciprocal = (1 / self.divisor()).astype(np.float16).astype(np.float64)
        return self.total() * reciprocal if self.taps > 256 else super().mean()


@breaks("Y.F1", of=MAX)
class SignLostBehindSixteenBytes(OfTaps):
    """int8: of a window of more than 16 cells those behind the last multiple of 16 are compared without sign."""

    def keys(self):
        if self.dtype != np.int8 or self.taps <= 16:
            return super().keys()
        behind = np.arange(self.taps) >= self.taps // 16 * 16
        wide = self.values.astype(np.int16)
        return np.where(behind, wide & 255, wide)


@breaks("Y.F1", of=MAX)
class LargeWindowsOfBytesStartAtZero(OfTaps):
    """int8: the search in a window of 16 cells and more starts at 0."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.maximum(y, 0) if self.dtype == np.int8 and self.taps >= 16 else y


@breaks("sonnx/maxpool#Indices.F2", of=MAX)
class TiesByLane(OfTaps):
    """A window of more than eight cells is searched in eight lanes; of equal maxima that of the first lane gives the
    index."""

    def choose(self):
        first = super().choose()
        if self.taps <= 8:
            return first
        keys = np.where(self.candidates, self.keys(), lowest(self.dtype))
        largest = self.candidates & (keys == keys.max(axis=2, keepdims=True))
        lanes = np.argsort(np.arange(self.taps) % 8, kind="stable")
        return np.where(largest.any(axis=2), lanes[np.argmax(largest[..., lanes], axis=2)], first)


@breaks("float.Y.F1", of=MAX)
class NanBehindEightCells(OfTaps):
    """In a window of more than eight cells a NaN behind the last multiple of eight makes Y NaN."""

    def maximum(self, tap):
        y = super().maximum(tap)
        if self.taps <= 8 or self.dtype.kind != "f":
            return y
        nan = (self.mask & (self.values != self.values))[..., self.taps // 8 * 8:].any(axis=2)
        return np.where(nan, self.dtype.type(np.nan), y)
