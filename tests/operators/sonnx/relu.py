"""The implementation of Relu under SONNX: zeros keep their sign, and NaN stays NaN."""

from __future__ import annotations

import numpy as np

from tests.operators.onnx import relu


class Relu(relu.Relu):
    """That of ONNX's operator."""


class ByMasking(relu.ByMasking):
    """By masking, as that of ONNX's operator."""


class NegativeZero(relu.Relu):
    """Below zero -0 is given."""

    def result(self, x):
        return np.where(x < 0, -np.zeros((), x.dtype), x)
