"""Mutants that are wrong in a context alone: in several threads, with open sizes, or beside nodes that are merged."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks


class Within(Pooling):
    """For mutants: whether the call stands in one of the contexts."""

    contexts: tuple[str, ...] = ()

    def within(self) -> bool:
        """By the name that the suite gives it."""
        return self.request.label in self.contexts


# How the runtime works


@breaks("Y.F1")
class SeamBetweenThreads(Within):
    """In several threads windows are cut into four parts along the first spatial axis; the first of every later part is
    the last of the part before."""

    contexts = ("threads",)

    def starts(self, a):
        starts = super().starts(a)
        if self.within() and a == 0:
            part = max(-(-self.counts[0] // 4), 1)
            starts[part::part] = starts[part - 1:-1:part]
        return starts


@breaks("auto_pad.F1")
class UnoptimizedPadsAtTheEnd(Within):
    """Where the graph is rewritten little or not at all, SAME_LOWER is SAME_UPPER."""

    contexts = ("unoptimized", "basic")

    def same_begin(self, a, total):
        return total // 2 if self.within() else super().same_begin(a, total)


@breaks("Y.F1")
class StridedIsTakenForPacked(Within):
    """Where another value lies between each element of X and the next, both are read one after the other."""

    contexts = ("strided",)

    def read(self, positions):
        if not self.within():
            return super().read(positions)
        return np.where(positions % 2, np.zeros((), self.dtype), super().read(positions // 2))


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class PaddingOfTheCallBefore(Within):
    """Where the model has computed something before, padding is not written again: it holds the first value of X."""

    contexts = ("again", "again-open-sizes")

    def stale(self) -> np.ndarray:
        """What padding holds."""
        return self.x.reshape(-1)[:1]

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.where(self.mask.all(axis=1), y, np.fmax(y, self.stale())) if self.within() else y

    def addends(self):
        return np.where(self.mask, self.values, self.stale()) if self.within() else super().addends()


# What the model leaves open, or holds


@breaks("auto_pad.F1")
class OpenSizesPlannedForOthers(Within):
    """With open sizes automatic padding is that of an X which is one longer on each axis."""

    contexts = ("open-sizes", "again-open-sizes")

    def same_total(self, a):
        return max(super().same_total(a) - 1, 0) if self.within() else super().same_total(a)


@breaks("onnx/maxpool#Y.C3", of=MAX)
@breaks("onnx/averagepool#Y.C3", of=MEAN)
class ConstantsForgetCeilMode(Within):
    """What is computed before the model runs is computed without ceil_mode."""

    contexts = ("constants",)

    def read_ceil(self):
        return super().read_ceil() and not self.within()


# Nodes beside it


@breaks("Y.F1")
class QuantizedForgetsDilations(Within):
    """Between quantisations windows are laid out without dilation."""

    contexts = ("quantized", "quantized-signed")

    def offsets(self, a):
        return np.arange(self.kernel[a]) if self.within() else super().offsets(a)


@breaks("pads.F1", of=MAX)
class ConvolutionPadsWithZero(Within):
    """Behind a convolution padding counts as 0."""

    contexts = ("after-convolution", "in-a-layer", "between-convolutions")

    def maximum(self, tap):
        y = super().maximum(tap)
        floored = np.maximum(y, np.zeros((), self.dtype))
        return np.where(self.mask.all(axis=1), y, floored) if self.within() else y


@breaks("pads.F1", of=MEAN)
class ConvolutionCountsPadding(Within):
    """Behind a convolution padding always counts."""

    contexts = ("after-convolution", "in-a-layer", "between-convolutions")

    def counts_padding(self):
        return super().counts_padding() or self.within()


@breaks("Indices.F1", of=MAX)
class RectifierLeavesZeroOut(Within):
    """Behind a rectifier the search starts at 0, and the index of a maximum that is not above is never set."""

    contexts = ("after-rectifier", "in-a-layer")

    def index(self, tap):
        found = super().index(tap)
        return np.where(self.maximum(tap) > 0, found, 0) if self.within() else found


@breaks("Y.F1")
class TransposedExchangesPads(Within):
    """Between transpositions the pads of the first and the last spatial axis are exchanged."""

    contexts = ("transposed",)

    def starts(self, a):
        ends = {0: self.rank - 1, self.rank - 1: 0}
        return super().starts(a) + self.begin[a] - self.begin[ends.get(a, a)] if self.within() else super().starts(a)


@breaks("Indices.F1", of=MAX)
class TransposedIndices(Within):
    """Between transpositions Indices count X with its channels last."""

    contexts = ("transposed",)

    def index(self, tap):
        found = super().index(tap)
        if not self.within():
            return found
        plane, cell = np.divmod(found, max(prod(self.sizes), 1))
        batch, channel = np.divmod(plane, self.channels)
        return (batch * prod(self.sizes) + cell) * self.channels + channel


@breaks("Y.F1")
class CastsMergedTooFar(Within):
    """Behind a cast from a wider type Y passes through float16."""

    contexts = ("cast",)

    def finish(self, y):
        return super().finish(y.astype(np.float16) if self.within() and self.dtype == np.float32 else y)
