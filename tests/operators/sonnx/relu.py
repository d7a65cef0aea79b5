"""The implementation of Relu under SONNX: zeros keep their sign, and NaN stays NaN."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import under
from tests.operators.onnx import relu

vars().update(under(relu, __name__, ("NanIsZero", "RefusesLegacy")))


class NegativeZero(relu.Relu):
    """Below zero -0 is given."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, (-np.zeros(1)).astype(x.dtype), x)
