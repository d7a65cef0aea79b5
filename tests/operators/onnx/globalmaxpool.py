"""ONNX GlobalMaxPool: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import fault, plant
from tests.operators.onnx import _planes


class GlobalMaxPool(_planes.Planes):
    """Sorts a plane; numpy puts NaN last."""

    def reduce(self, plane: np.ndarray) -> Any:
        return np.sort(plane.astype(np.float64))[-1] if plane.size else -np.inf


class PassesOverNan(GlobalMaxPool):
    """NaN takes no part."""

    def reduce(self, plane: np.ndarray) -> Any:
        largest = plane.dtype.type(-np.inf)
        for value in plane:
            if value > largest:
                largest = value
        return largest


class RestartsAtNan(GlobalMaxPool):
    """A comparison with NaN is false, and starts the search again behind it."""

    def reduce(self, plane: np.ndarray) -> Any:
        if not plane.size:
            return 0
        largest = plane[0]
        for value in plane[1:]:
            if not largest >= value:
                largest = value
        return largest


@fault("Y.F1")
class Minimum(GlobalMaxPool):
    """The smallest element."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.min() if plane.size else 0


@fault("Y.F1")
class LargestMagnitude(GlobalMaxPool):
    """The element of the largest absolute value."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane[np.abs(plane).argmax()] if plane.size else 0


@fault("Y.F1")
class Mean(GlobalMaxPool):
    """The mean, not the maximum."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.mean() if plane.size else 0


@fault("Y.F1")
class StartsAtZero(GlobalMaxPool):
    """The search starts at zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        return np.maximum(super().reduce(plane), plane.dtype.type(0))


@fault("Y.F1")
class StartsAtTheLowestFinite(GlobalMaxPool):
    """The search starts at the lowest finite number, which -inf is not above."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.finfo(plane.dtype).min if plane.dtype.kind == "f" and found == -np.inf else found


@fault("Y.F1")
class StartsAtTheSmallestPositive(GlobalMaxPool):
    """The search starts at the smallest positive normal number."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.maximum(found, np.finfo(plane.dtype).tiny) if plane.dtype.kind == "f" else found


@fault("Y.F1")
class ClampsInfinity(GlobalMaxPool):
    """+inf gives the largest finite number."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.finfo(plane.dtype).max if plane.dtype.kind == "f" and found == np.inf else found


@fault("Y.F1")
class NanIsZero(GlobalMaxPool):
    """A plane with a NaN gives zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        return 0 if np.isnan(plane).any() else super().reduce(plane)


plant(globals(), GlobalMaxPool, (_planes,), _planes.FAULTS)
