"""ONNX GlobalMaxPool: an implementation derived from neither oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import plant
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


plant(globals(), GlobalMaxPool, (_planes,), "RefusesEmpty")
