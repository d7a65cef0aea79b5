"""An implementation of ONNX Concat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.onnx._movement import Mover, copies


class Concat(Mover):
    """Allocates the output and writes each input into its slab."""

    output = "concat_result"

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", 1)
        return axis + rank if axis < 0 else axis

    def data(self, request: Request) -> Sequence[np.ndarray]:
        """The inputs."""
        return list(request.inputs.values())

    def size(self, data: Sequence[np.ndarray], axis: int) -> int:
        """Of the output along the axis."""
        return sum(part.shape[axis] for part in data)

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        """Write the slabs."""
        start = 0
        turned = np.moveaxis(found, axis, 0)
        for part in data:
            turned[start:start + part.shape[axis]] = np.moveaxis(part, axis, 0)
            start += part.shape[axis]

    def move(self, request: Request) -> np.ndarray:
        """The slabs, one after another."""
        data = self.data(request)
        axis = self.axis(request, data[0].ndim)
        shape = list(data[0].shape)
        shape[axis] = self.size(data, axis)
        found = np.zeros(shape, data[0].dtype)
        self.fill(found, data, axis)
        return found


class TwoByTwo(Concat):
    """Puts the last two inputs together first, which gives the same."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        data = list(request.inputs.values())
        if len(data) < 3:
            return data
        axis = self.axis(request, data[0].ndim)
        shape = list(data[-1].shape)
        shape[axis] += data[-2].shape[axis]
        last = np.zeros(shape, data[-1].dtype)
        super().fill(last, data[-2:], axis)
        return [*data[:-2], last]


vars().update(copies(Concat))
