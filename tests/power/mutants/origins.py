"""Mutants that begin a window at the wrong cell, or take other cells into it."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks

# Where a window begins


@breaks("Y.F1", "auto_pad.F1")
class OriginWithoutPad(Pooling):
    """Windows begin at m*s, as if there were no padding at the beginning; their number is right."""

    def starts(self, a):
        return super().starts(a) + self.begin[a]


@breaks("Y.F1", "auto_pad.F1")
class OriginByTheEndPad(Pooling):
    """Windows begin at m*s - e."""

    def starts(self, a):
        return super().starts(a) + self.begin[a] - self.end[a]


@breaks("Y.F1")
class OriginByHalfThePads(Pooling):
    """Windows begin at m*s - (b + e) // 2."""

    def starts(self, a):
        explicit = self.auto_pad == "NOTSET"
        return super().starts(a) + (self.begin[a] - (self.begin[a] + self.end[a]) // 2 if explicit else 0)


@breaks("Y.F1", "auto_pad.F1")
class OriginByThePadOfAnotherAxis(Pooling):
    """Windows begin at m*s less the pad of the axes in reverse."""

    def starts(self, a):
        return super().starts(a) + self.begin[a] - self.begin[self.rank - 1 - a]


@breaks("Y.F1")
class OriginByDilatedPad(Pooling):
    """Windows begin at m*s - b*d."""

    def starts(self, a):
        return super().starts(a) + self.begin[a] * (1 - self.dilations[a])


@breaks("Y.F1")
class OriginByDilatedStride(Pooling):
    """Windows begin at m*s*d - b."""

    def starts(self, a):
        return np.arange(self.counts[a]) * self.strides[a] * self.dilations[a] - self.begin[a]


@breaks("Y.F1")
class OriginWithoutStride(Pooling):
    """Windows begin at m - b; their number is right."""

    def starts(self, a):
        return np.arange(self.counts[a]) - self.begin[a]


@breaks("Y.F1")
class OriginByTheKernel(Pooling):
    """Windows begin at m*k - b: the kernel stands for the stride."""

    def starts(self, a):
        return np.arange(self.counts[a]) * self.kernel[a] - self.begin[a]


@breaks("Y.F1")
class OriginOneLate(Pooling):
    """Every window but the first begins one cell late."""

    def starts(self, a):
        return super().starts(a) + (np.arange(self.counts[a]) > 0)


@breaks("pads.F1", of=MAX, source="https://github.com/microsoft/onnxruntime/issues/29637")
@breaks("Y.F1", of=MEAN)
class DilatedWindowMovedIntoX(Pooling):
    """A window that begins in the padding begins at 0 instead, and is counted with its dilation from there."""

    def starts(self, a):
        return np.maximum(super().starts(a), 0) if self.dilations[a] > 1 else super().starts(a)


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class LastWindowMovedIntoX(Pooling):
    """A window that reaches beyond X is moved back until it ends at the border."""

    def starts(self, a):
        return np.minimum(super().starts(a), max(self.sizes[a] - self.extent(a), -self.begin[a]))


# What a window holds


@breaks("Y.F1", source="https://github.com/microsoft/onnxruntime/pull/29631")
class TapsWithoutDilation(Pooling):
    """Windows are laid out without dilation; their number is right."""

    def offsets(self, a):
        return np.arange(self.kernel[a])


@breaks("Y.F1")
class TapsByTheDilationOfTheFirstAxis(Pooling):
    """Windows are laid out with the dilation of the first axis."""

    def offsets(self, a):
        return np.arange(self.kernel[a]) * self.dilations[0]


@breaks("Y.F1")
class DilatedWindowFilled(Pooling):
    """A dilated window holds the cells between its taps too."""

    def offsets(self, a):
        return np.arange(self.extent(a))


@breaks("Y.F1")
class LastTapMissing(Pooling):
    """The last tap on each axis is missing, where there are several."""

    def offsets(self, a):
        return super().offsets(a)[:-1] if self.kernel[a] > 1 else super().offsets(a)


@breaks("Y.F1")
class FirstTapMissing(Pooling):
    """The first tap on each axis is missing, where there are several."""

    def offsets(self, a):
        return super().offsets(a)[1:] if self.kernel[a] > 1 else super().offsets(a)


@breaks("Y.F1")
class OneTapTooMany(Pooling):
    """There is a tap too many on the last axis."""

    def offsets(self, a):
        last = a == self.rank - 1
        return np.arange(self.kernel[a] + 1) * self.dilations[a] if last else super().offsets(a)


@breaks("Y.F1")
class WindowCentred(Pooling):
    """A window lies around the cell at which it should begin."""

    def offsets(self, a):
        return super().offsets(a) - self.extent(a) // 2


@breaks("Y.F1")
class FirstRowOfTheWindow(Pooling):
    """Where there are several axes, a window holds its first row alone."""

    def offsets(self, a):
        return super().offsets(a)[:1] if self.rank > 1 and a == 0 else super().offsets(a)
