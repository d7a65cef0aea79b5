"""Mutants of AveragePool that divide by another number."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MEAN, breaks


class Clipped(Pooling):
    """For mutants: the divisor counts, axis by axis, the cells of a window that `counted` accepts."""

    def counted(self, a: int, places: np.ndarray) -> np.ndarray:
        """Which cells count in the divisor, where padding does."""
        return np.ones_like(places, dtype=bool)

    def divisor(self):
        """The product of what counts on each axis."""
        if not self.counts_padding():
            return super().divisor()
        counted = self.over_all([self.counted(a, self.places(a)) for a in range(self.rank)])
        return np.maximum(np.logical_and.reduce(counted).sum(axis=1), 1)


@breaks("pads.F1", of=MEAN, source="https://github.com/microsoft/onnxruntime/issues/24681")
class CountsPaddingBeforeAlone(Clipped):
    """With count_include_pad 1 padding at the end does not count."""

    def counted(self, a, places):
        return places < self.sizes[a]


@breaks("pads.F1", of=MEAN)
class CountsPaddingBehindAlone(Clipped):
    """With count_include_pad 1 padding at the beginning does not count."""

    def counted(self, a, places):
        return places >= 0


@breaks("pads.F1", of=MEAN, source="https://github.com/microsoft/onnxruntime/pull/27375")
class CountsByTheBeginPadOfAnotherAxis(Clipped):
    """With count_include_pad 1 windows are cut off behind in + b of the next axis instead of in + e."""

    def counted(self, a, places):
        return places < self.sizes[a] + self.begin[(a + 1) % self.rank] if self.rank > 1 else super().counted(a, places)


@breaks("pads.F1", of=MEAN)
class CountsPaddingOnTheLastAxis(Clipped):
    """With count_include_pad 1 padding counts on the last axis alone."""

    def counted(self, a, places):
        return super().counted(a, places) if a == self.rank - 1 else self.inside(a, places)


@breaks("pads.F1", "Y.F1", of=MEAN)
class OverhangCounts(Pooling):
    """With ceil_mode 1 the cells of a window beyond the padded input count, though padding does not."""

    def divisor(self):
        if self.counts_padding() or not self.ceil:
            return super().divisor()
        counted = [self.inside(a, self.places(a)) | (self.places(a) >= self.sizes[a] + self.end[a])
                   for a in range(self.rank)]
        return np.maximum(np.logical_and.reduce(self.over_all(counted)).sum(axis=1), 1)


@breaks("count_include_pad.F1", of=MEAN)
class OverhangCountsAsPadding(Pooling):
    """With ceil_mode 1 and count_include_pad 1 every cell of a window counts, also beyond the padded input."""

    def cells(self):
        return np.full(len(self.mask), self.mask.shape[1])


@breaks("Y.F1", of=MEAN)
class DivisorOfTheExtent(Pooling):
    """The divisor counts the cells between the taps of a dilated window too."""

    def divisor(self):
        filled = prod(self.extent(a) for a in range(self.rank)) / prod(self.kernel)
        return super().divisor() * filled


@breaks("Y.F1", of=MEAN)
class DivisorOfTheCutExtent(Pooling):
    """The divisor is the cut extent over the dilation, rounded down: one short where the extent is no multiple."""

    def divisor(self):
        if self.counts_padding():
            return super().divisor()
        axes = []
        for a in range(self.rank):
            first = np.maximum(self.starts(a), 0)
            behind = np.minimum(self.starts(a) + self.extent(a), self.sizes[a])
            axes.append(((behind - first) // self.dilations[a])[:, None])
        return np.maximum(np.multiply.reduce(self.over_all(axes))[:, 0], 1)


@breaks("Y.F1", of=MEAN)
class DivisorSquare(Pooling):
    """The divisor is computed from the first size of the kernel for every axis."""

    def divisor(self):
        return super().divisor() * (self.kernel[0] ** self.rank / prod(self.kernel))


@breaks("Y.F1", of=MEAN)
class DivisorOfTheLastAxis(Pooling):
    """The divisor is the size of the kernel on the last axis."""

    def divisor(self):
        return super().divisor() * self.kernel[-1] / prod(self.kernel)


@breaks("pads.F1", "Y.F1", of=MEAN)
class DivisorOfTheFirstWindow(Pooling):
    """The divisor of the first window holds for all."""

    def divisor(self):
        return super().divisor()[:1]


@breaks("Y.F1", of=MEAN)
class DivisorOneLess(Pooling):
    """The divisor is one less, where it is above 1, as for the variance of a sample."""

    def divisor(self):
        return np.maximum(super().divisor() - 1, 1)


@breaks("Y.F1", of=MEAN)
class DivisorOneMore(Pooling):
    """The divisor is one more."""

    def divisor(self):
        return super().divisor() + 1


@breaks("Y.F1", of=MEAN)
class DivisorAPowerOfTwo(Pooling):
    """The divisor is rounded down to a power of two, for a shift."""

    def divisor(self):
        return 2 ** np.floor(np.log2(super().divisor()))


@breaks("Y.F1", of=MEAN)
class DivisorOf8Bits(Pooling):
    """The divisor wraps at 256."""

    def divisor(self):
        return np.maximum(super().divisor() % 256, 1)
