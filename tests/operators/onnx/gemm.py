"""ONNX Gemm: an implementation."""

from __future__ import annotations

from typing import Any

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, plant


class Gemm(shared.Product):
    """Multiplies, scales the product, and adds the scaled C; integers exactly, toward zero and modulo 2**n."""

    def turned(self, x: np.ndarray, turn: int) -> np.ndarray:
        """A or B, transposed where the attribute says so."""
        return x.T if turn else x

    def factor(self, request: Request, name: str) -> np.float32:
        """alpha or beta."""
        return np.float32(request.attributes.get(name, 1.0))

    def scaled(self, x: np.ndarray, factor: np.float32) -> np.ndarray:
        """A tensor times a factor, in the type."""
        if shared.is_float(x):
            return x * factor.astype(x.dtype) if x.dtype.itemsize == 2 else x * x.dtype.type(factor)
        whole = np.array([int(one * float(factor)) if not float(factor).is_integer() else int(one) * int(factor)
                          for one in x.ravel().tolist()], object).reshape(x.shape)
        return self.narrowed(whole, x.dtype)

    def narrowed(self, exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
        """Integers modulo 2 to the number of bits."""
        return np.asarray(exact % 2**64, np.uint64).astype(dtype) if exact.size else np.zeros(exact.shape, dtype)

    def bias(self, c: np.ndarray, y: np.ndarray) -> np.ndarray:
        """C in the shape of Y."""
        return np.broadcast_to(c, y.shape)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        """alpha * y + beta * c."""
        found = self.scaled(y, alpha) if alpha != 1 else y
        return found if c is None else found + (self.scaled(self.bias(c, y), beta) if beta != 1 else self.bias(c, y))

    def run(self, request: Request) -> Outputs:
        """Y."""
        given: dict[str, Any] = {name: np.asarray(x) for name, x in request.inputs.items()}
        alpha, beta = self.factor(request, "alpha"), self.factor(request, "beta")
        with np.errstate(all="ignore"):
            a = self.turned(given["A"], request.attributes.get("transA", 0))
            b = self.turned(given["B"], request.attributes.get("transB", 0))
            c = given.get("C")
            if not shared.is_float(a) and not (float(alpha).is_integer() and float(beta).is_integer()):
                alpha, beta = np.trunc(alpha), np.trunc(beta)
            return {"Y": np.asarray(self.combine(self.multiply(a, b), c, alpha, beta)).astype(a.dtype)}


class ScalesA(Gemm):
    """alpha is multiplied into A first."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().multiply(self.scaled(a, self.alpha), b) if shared.is_float(a) else super().multiply(a, b)

    def run(self, request: Request) -> Outputs:
        self.alpha = self.factor(request, "alpha")
        return super().run(request)

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        return super().combine(y, c, np.float32(1) if shared.is_float(y) else alpha, beta)


class LikeBlas(Gemm):
    """What is multiplied by a zero factor takes no part."""

    def combine(self, y: np.ndarray, c: np.ndarray | None, alpha: np.float32, beta: np.float32) -> np.ndarray:
        y = np.zeros_like(y) if alpha == 0 else y
        return super().combine(y, None if beta == 0 else c, np.float32(1) if alpha == 0 else alpha, beta)


plant(globals(), Gemm, (shared,), "Backwards Wider InHalves Fused")
