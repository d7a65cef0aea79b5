"""ONNX Relu: an implementation derived from neither oracle."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs, version_of


class Relu(Implementation):
    """Keeps what is not below zero."""

    def element(self, x: np.ndarray) -> np.ndarray:
        """The function, on a flat array."""
        y = x.copy()
        y[x < 0] = 0
        return y

    def accepts(self, request: Request) -> None:
        """Raises where the version does not have what the call asks for."""
        if "consumed_inputs" in request.attributes and version_of(request) > 1:
            raise ValueError("consumed_inputs")

    def run(self, request: Request) -> Outputs:
        """Y."""
        self.accepts(request)
        x = np.asarray(request.inputs["X"])
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return {"Y": self.element(x.reshape(-1)).reshape(x.shape)}


def is_float(x: np.ndarray) -> bool:
    """Whether elements are floating-point numbers, bfloat16 among them."""
    return x.dtype.kind not in "iu"


class NanIsZero(Relu):
    """A comparison with NaN is false, so NaN gives 0."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, x.dtype.type(0))


class ByMasking(Relu):
    """Multiplies by the truth value of a comparison where X is finite, so that below zero -0 is given."""

    def element(self, x: np.ndarray) -> np.ndarray:
        if not is_float(x):
            return super().element(x)
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(x), x * (x > 0).astype(x.dtype), super().element(x))
