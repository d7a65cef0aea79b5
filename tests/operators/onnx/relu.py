"""ONNX Relu: implementations, the plain one first."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import is_float
from tests.operators._unary import Elements


class Relu(Elements):
    """Keeps what is not below zero."""

    def result(self, x):
        """A copy, with zeros below zero."""
        return np.where(x < 0, x.dtype.type(0), x)


class NanIsZero(Relu):
    """A comparison with NaN is false, so NaN gives 0."""

    def result(self, x):
        return np.where(x > 0, x, x.dtype.type(0))


class ByMasking(Relu):
    """Multiplies by the truth value of a comparison where X is finite, so that below zero -0 is given."""

    def result(self, x):
        return np.where(np.isfinite(x), x * (x > 0).astype(x.dtype), super().result(x)) if is_float(x) else (
            super().result(x))
