"""An implementation of ONNX Shape."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs


class Shape(Implementation):
    """Counts the axes, and writes down those that lie between the bounds."""

    def start(self, request: Request, rank: int) -> int:
        """The first axis, counted from the front."""
        return self.bound(request.attributes.get("start", 0), rank)

    def end(self, request: Request, rank: int) -> int:
        """The axis after the last, counted from the front."""
        return self.bound(request.attributes.get("end", rank), rank)

    def bound(self, value: int, rank: int) -> int:
        """A bound, counted from the front."""
        return value + rank if value < 0 else value

    def sizes(self, data: np.ndarray) -> list[int]:
        """The sizes of all axes."""
        return list(data.shape)

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        """Those between the bounds."""
        return [size for axis, size in enumerate(sizes) if start <= axis < end]

    def finish(self, found: list[int]) -> np.ndarray:
        """The output."""
        return np.array(found, dtype=np.int64)

    def run(self, request: Request) -> Outputs:
        """The run of sizes."""
        data = request.inputs["data"]
        bounds = self.start(request, data.ndim), self.end(request, data.ndim)
        return {"shape": self.finish(self.between(self.sizes(data), *bounds))}


class Sliced(Shape):
    """Clamps the bounds and cuts, which gives the same."""

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        return sizes[max(start, 0):max(end, 0)]
