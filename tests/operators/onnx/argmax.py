"""An implementation of ONNX ArgMax."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs


class ArgMax(Implementation):
    """Sorts nothing and compares each element of a line with the best so far."""

    default_axis, default_keepdims = 0, 1

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", self.default_axis)
        return axis + rank if axis < 0 else axis

    def keeps(self, request: Request) -> bool:
        """Whether the axis is kept."""
        return request.attributes.get("keepdims", self.default_keepdims) == 1

    def last(self, request: Request) -> bool:
        """Whether the last of equal elements is wanted."""
        return request.attributes.get("select_last_index", 0) == 1

    def data(self, request: Request) -> np.ndarray:
        """The input, in a type that numpy compares."""
        data = request.inputs["data"]
        return data.astype(np.float32) if data.dtype.kind == "V" else data

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Whether elements are above others, NaN above every number."""
        return (one > other) | (np.isnan(one) & ~np.isnan(other)) if one.dtype.kind == "f" else one > other

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        """The indices in an array whose first axis is that of the lines."""
        best, found = lines[0], np.zeros(lines.shape[1:], np.int64)
        for index in range(1, len(lines)):
            better = ~self.above(best, lines[index]) if last else self.above(lines[index], best)
            best, found = np.where(better, lines[index], best), np.where(better, index, found)
        return found

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        """The output."""
        return found.reshape([*found.shape[:axis], 1, *found.shape[axis:]]) if keeps else found

    def run(self, request: Request) -> Outputs:
        """The indices."""
        data = self.data(request)
        axis = self.axis(request, data.ndim)
        found = self.search(np.rollaxis(data, axis), self.last(request))
        return {"reduced": self.finish(np.asarray(found, np.int64), axis, self.keeps(request))}


class Backward(ArgMax):
    """Searches from the end, which gives the same."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return len(lines) - 1 - super().search(lines[::-1], not last)
