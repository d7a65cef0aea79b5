"""An implementation of ONNX Reshape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from plumbline.backends import Request
from tests.operators.onnx._movement import Mover, copies


class Reshape(Mover):
    """Fills in the sizes from left to right, and the inferred one last."""

    output = "reshaped"

    def target(self, request: Request) -> Sequence[int]:
        """The shape asked for."""
        if "shape" in request.inputs:
            return [int(entry) for entry in request.inputs["shape"]]
        return list(request.attributes["shape"])

    def keeps_zero(self, request: Request) -> bool:
        """Whether a 0 is a size of zero."""
        return request.attributes.get("allowzero", 0) == 1

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        """The shape asked for with zeros filled in."""
        return [entry or sizes[place] for place, entry in enumerate(target)]

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        """The shape with -1 filled in."""
        if -1 not in target:
            return target
        others = prod(entry for entry in target if entry != -1)
        return [(prod(sizes) // others if others else 0) if entry == -1 else entry for entry in target]

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The input in its new shape."""
        data, target = self.data(request), self.target(request)
        if not self.keeps_zero(request):
            target = self.copied(target, data.shape)
        target = self.inferred(target, data.shape)
        return np.ascontiguousarray(data).ravel().reshape(target)


class FilledIn(Reshape):
    """Divides the number of elements by each size in turn, and fills an output, which gives the same."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        left = prod(sizes)
        for entry in target:
            left = left // entry if entry > 0 else 0 if entry == 0 else left
        return [left if entry == -1 else entry for entry in target]

    def move(self, request: Request) -> np.ndarray:
        found = np.empty_like(super().move(request))
        found.reshape(-1)[:] = self.data(request).ravel()
        return found


vars().update(copies(Reshape))
