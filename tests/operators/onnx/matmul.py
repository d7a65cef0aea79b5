"""ONNX MatMul: an implementation."""

from __future__ import annotations

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, plant


class MatMul(shared.Product):
    """Goes through the stack, and multiplies matrix by matrix."""

    def place(self, at: tuple[int, ...], stack: tuple[int, ...]) -> tuple[int, ...]:
        """The matrix of an input with this stack that is read at a place of the stack of Y."""
        return tuple(0 if size == 1 else one for one, size in zip(at[len(at) - len(stack):], stack, strict=True))

    def stack(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        """The stacked sizes of Y."""
        return np.broadcast_shapes(one, other)

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        """Of Y, which has a row for an A of one axis and a column for such a B."""
        kept = list(y.shape)
        if b.ndim == 1:
            del kept[-1]
        if a.ndim == 1:
            del kept[-1 if b.ndim == 1 else -2]
        return tuple(kept)

    def run(self, request: Request) -> Outputs:
        """Y."""
        a, b = (np.asarray(request.inputs[name]) for name in ("A", "B"))
        left, right = a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b
        stack = self.stack(left.shape[:-2], right.shape[:-2])
        y = np.zeros((*stack, left.shape[-2], right.shape[-1]), a.dtype)
        with np.errstate(all="ignore"):
            for at in np.ndindex(*stack):
                y[at] = self.multiply(left[self.place(at, left.shape[:-2])], right[self.place(at, right.shape[:-2])])
        return {"Y": y.reshape(self.shape(a, b, y))}


plant(globals(), MatMul, (shared,), "Backwards Wider InHalves Fused")
