"""An implementation of ONNX Flatten."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.onnx._movement import Mover, copies


class Flatten(Mover):
    """Counts rows and columns by multiplying sizes, and reshapes."""

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", 1)
        return axis + rank if axis < 0 else axis

    def sizes(self, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
        """Rows and columns."""
        rows = columns = 1
        for size in shape[:axis]:
            rows *= size
        for size in shape[axis:]:
            columns *= size
        return rows, columns

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["input"]

    def move(self, request: Request) -> np.ndarray:
        """The matrix."""
        data = self.data(request)
        return data.reshape(self.sizes(data.shape, self.axis(request, data.ndim)))


class RowByRow(Flatten):
    """Copies one row after another, which gives the same."""

    def move(self, request: Request) -> np.ndarray:
        """The matrix, filled."""
        data = self.data(request)
        rows, columns = self.sizes(data.shape, self.axis(request, data.ndim))
        found, flat = np.empty((rows, columns), data.dtype), data.ravel()
        for row in range(rows):
            found[row] = flat[row * columns:(row + 1) * columns]
        return found


vars().update(copies(Flatten))
