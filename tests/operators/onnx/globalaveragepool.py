"""ONNX GlobalAveragePool: an implementation derived from neither oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import plant
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


plant(globals(), GlobalAveragePool, (_planes,), "RefusesEmpty")
