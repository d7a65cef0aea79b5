"""Mutants that mistake where X ends, or fill the padding with something."""

from __future__ import annotations

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, MEAN, breaks


@breaks("Y.F1")
class FirstCellNeverRead(Pooling):
    """Coordinate 0 counts as padding where X is larger."""

    def inside(self, a, places):
        return super().inside(a, places) & ((places > 0) | (self.sizes[a] == 1))


@breaks("Y.F1")
class LastCellNeverRead(Pooling):
    """The last coordinate counts as padding where X is larger."""

    def inside(self, a, places):
        return super().inside(a, places) & ((places < self.sizes[a] - 1) | (self.sizes[a] == 1))


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class OneCellBehindRead(Pooling):
    """The cell behind the border counts as one of X: memory goes on with the next row."""

    def inside(self, a, places):
        return (places >= 0) & (places <= self.sizes[a])


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class OneCellBeforeRead(Pooling):
    """The cell before the border counts as one of X: memory has the row before there."""

    def inside(self, a, places):
        return (places >= -1) & (places < self.sizes[a])


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class BordersOfAnotherAxis(Pooling):
    """Coordinates are compared with the sizes of the axes in reverse."""

    def inside(self, a, places):
        return (places >= 0) & (places < self.sizes[self.rank - 1 - a])


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class BordersOfTheLastAxis(Pooling):
    """Only the last axis has borders: above and below, memory is read as it comes."""

    def inside(self, a, places):
        return super().inside(a, places) if a == self.rank - 1 else np.ones_like(places, dtype=bool)


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class BordersBeforeAlone(Pooling):
    """Only the border before X is checked."""

    def inside(self, a, places):
        return places >= 0


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class BordersBehindAlone(Pooling):
    """Only the border behind X is checked."""

    def inside(self, a, places):
        return places < self.sizes[a]


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN, source="https://github.com/PINTO0309/onnx2tf/pull/121")
class PadsMirrorX(Pooling):
    """Padding holds X mirrored at its border."""

    def places(self, a):
        places = super().places(a)
        mirrored = np.where(places < 0, -1 - places, np.where(places >= self.sizes[a], 2 * self.sizes[a] - 1 - places,
                                                              places))
        return np.clip(mirrored, 0, self.sizes[a] - 1)


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class PadsRepeatTheBorder(Pooling):
    """Padding holds the cell at the border."""

    def places(self, a):
        return np.clip(super().places(a), 0, self.sizes[a] - 1)


@breaks("pads.F1", of=MAX)
@breaks("Y.F1", of=MEAN)
class PadsWrapAround(Pooling):
    """Padding holds X from its other end."""

    def places(self, a):
        return super().places(a) % self.sizes[a]


@breaks("Y.F1", of=MEAN)
class MaskedByMultiplication(Pooling):
    """Padding reads the first element of its plane and multiplies it by zero, which NaN and infinities survive."""

    def addends(self):
        return self.values * self.mask
