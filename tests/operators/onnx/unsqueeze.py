"""An implementation of ONNX Unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.onnx._movement import Mover, copies


class Unsqueeze(Mover):
    """Walks through the axes of the output and takes a 1 or the next size."""

    output = "expanded"

    def given(self, request: Request) -> Sequence[int]:
        """The axes as they are given."""
        axes = request.inputs["axes"].reshape(-1) if "axes" in request.inputs else request.attributes["axes"]
        return [int(axis) for axis in axes]

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        """The axes, counted from the front, of an output of that rank."""
        return [axis % rank for axis in self.given(request)]

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        """The sizes with ones among them."""
        left, found = list(sizes), []
        for axis in range(len(sizes) + len(axes)):
            found.append(1 if axis in axes else left.pop(0))
        return found

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The input in its new shape."""
        data = self.data(request)
        axes = self.axes(request, data.ndim + len(self.given(request)))
        return data.reshape(self.shape(data.shape, axes))


class OneByOne(Unsqueeze):
    """Inserts one axis after another, from the lowest on, which gives the same."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        found = list(sizes)
        for axis in sorted(axes):
            found[axis:axis] = [1]
        return found


vars().update(copies(Unsqueeze))
