"""ONNX GlobalAveragePool: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import fault, plant
from tests.operators.onnx import _planes


class GlobalAveragePool(_planes.Planes):
    """Adds one element after another, in the type, and divides."""

    def total(self, plane: np.ndarray) -> Any:
        """The sum."""
        found = plane.dtype.type(0)
        for value in plane:
            found = found + value
        return found

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        """The sum over the number of elements."""
        return total / plane.dtype.type(plane.size) if plane.size else total

    def reduce(self, plane: np.ndarray) -> Any:
        return self.divided(self.total(plane), plane)


class InPairs(GlobalAveragePool):
    """Adds the sums of two halves."""

    def total(self, plane: np.ndarray) -> Any:
        half = plane.size // 2
        return super().total(plane) if plane.size < 2 else self.total(plane[:half]) + self.total(plane[half:])


class Backwards(GlobalAveragePool):
    """Adds the last element first."""

    def total(self, plane: np.ndarray) -> Any:
        return super().total(plane[::-1])


class Wider(GlobalAveragePool):
    """Adds in extended precision, and divides there."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.longdouble)).astype(plane.dtype)


class ByReciprocal(GlobalAveragePool):
    """Multiplies the sum by the reciprocal of the number of elements."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total * (plane.dtype.type(1) / plane.dtype.type(plane.size)) if plane.size else total


class DividesFirst(GlobalAveragePool):
    """Divides each element, and adds the quotients."""

    def reduce(self, plane: np.ndarray) -> Any:
        return self.total(plane / plane.dtype.type(plane.size)) if plane.size else 0


@fault("Y.F1")
class Total(GlobalAveragePool):
    """The sum, not divided."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total


@fault("Y.F1")
class OneTooMany(GlobalAveragePool):
    """The divisor is one too large."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(plane.size + 1)


@fault("Y.F1")
class OneTooFew(GlobalAveragePool):
    """The divisor is one too small, as of a sample's variance."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(max(plane.size - 1, 1))


@fault("Y.F1")
class CountsWhatIsNotZero(GlobalAveragePool):
    """The divisor counts the elements other than zero."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(max(np.count_nonzero(plane), 1))


@fault("Y.F1")
class Maximum(GlobalAveragePool):
    """The maximum, not the mean."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.max() if plane.size else 0


@fault("Y.F1")
class MeanOfMagnitudes(GlobalAveragePool):
    """The mean of the absolute values."""

    def total(self, plane: np.ndarray) -> Any:
        return super().total(np.abs(plane))


@fault("Y.F1")
class MeanOfMeans(GlobalAveragePool):
    """Blocks of four are averaged, and then their means, the last block like a full one."""

    def reduce(self, plane: np.ndarray) -> Any:
        means = [super(MeanOfMeans, self).reduce(plane[at:at + 4]) for at in range(0, plane.size, 4)]
        return super().reduce(np.array(means, plane.dtype))


@fault("Y.F1")
class RoundsDown(GlobalAveragePool):
    """The quotient is rounded to an integer."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return np.floor(super().divided(total, plane))


@fault("Y.F1")
class PassesOverNan(GlobalAveragePool):
    """The mean of the elements that are not NaN."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane[~np.isnan(plane)])


@fault("Y.F1")
class ClampsInfinity(GlobalAveragePool):
    """An infinity gives the end of the finite range."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        largest = np.finfo(plane.dtype).max if plane.dtype.kind == "f" else np.inf
        return np.clip(found, -largest, largest)


@fault("Y.F1")
class TurnsInfinity(GlobalAveragePool):
    """An infinity comes out with the other sign."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return -found if np.isinf(found) else found


plant(globals(), GlobalAveragePool, (_planes,), _planes.FAULTS)
