"""An implementation of ONNX Slice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import version_of
from tests.operators.onnx._movement import Mover, copies


class Slice(Mover):
    """Clamps each pair of bounds, and walks from one to the other."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        """A list that is given as an input or an attribute."""
        given = request.inputs.get(name, request.attributes.get(name))
        return None if given is None else [int(value) for value in given]

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        """The axis of each entry, counted from the front."""
        given = self.values(request, "axes")
        return list(range(count)) if given is None else [axis % rank for axis in given]

    def steps(self, request: Request, count: int) -> Sequence[int]:
        """The step of each entry."""
        return self.values(request, "steps") or [1] * count

    def start(self, start: int, step: int, size: int) -> int:
        """A start, clamped."""
        start = start + size if start < 0 else start
        return min(max(start, 0), size if step > 0 else size - 1)

    def end(self, end: int, step: int, size: int) -> int:
        """An end, clamped."""
        end = end + size if end < 0 else end
        return min(max(end, 0), size) if step > 0 else min(max(end, -1), size - 1)

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        """The indices from one to the other. Raises ValueError for a step of 0, which comes to no end."""
        if not step:
            raise ValueError("a step is 0")
        found, at = [], start
        while 0 <= at < size and (at < end if step > 0 else at > end):
            found.append(at)
            at += step
        return found

    def cut(self, data: np.ndarray, axis: int, start: int, end: int, step: int) -> np.ndarray:
        """The elements along one axis."""
        size = data.shape[axis]
        indices = self.walk(self.start(start, step, size), self.end(end, step, size), step, size)
        return data[(slice(None),) * axis + (list(indices),)]

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The part of the input."""
        data = self.data(request)
        starts, ends = self.values(request, "starts"), self.values(request, "ends")
        assert starts is not None and ends is not None
        axes, steps = self.axes(request, data.ndim, len(starts)), self.steps(request, len(starts))
        for entry in zip(axes, starts, ends, steps, strict=True):
            data = self.cut(data, *entry)
        return data


class BySlices(Slice):
    """Takes views with NumPy's slices, once the bounds are clamped, which gives the same."""

    def cut(self, data: np.ndarray, axis: int, start: int, end: int, step: int) -> np.ndarray:
        size = data.shape[axis]
        if not size:
            return data
        low, high = self.start(start, step, size), self.end(end, step, size)
        step = min(max(step, -size), size)
        if low >= size:
            low = high = 0
        return data[(slice(None),) * axis + (slice(low, None if high < 0 else high, step),)]


class IntMaxGoesToTheFirst(Slice):
    """In version 10, INT_MAX goes backward to the first element, as its recommendation can be read."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        found = super().values(request, name)
        if name != "ends" or found is None or version_of(request) != 10:
            return found
        return [-2**63 if step < 0 and end in (2**31 - 1, 2**63 - 1) else end
                for end, step in zip(found, self.steps(request, len(found)), strict=True)]


vars().update(copies(Slice))
