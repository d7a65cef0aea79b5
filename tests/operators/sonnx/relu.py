"""The implementation of Relu, and its faults, under SONNX: zeros keep their sign, and NaN stays NaN."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import fault, under
from tests.operators.onnx import relu

vars().update(under(relu, __name__, {"Y.C2": "Y.F2"}, ("RefusesLegacy", "NanIsZero")))


class NegativeZero(relu.Relu):
    """Below zero -0 is given."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, (-np.zeros(1)).astype(x.dtype), x)


@fault("float.Y.F1")
class NanIsZero(relu.NanIsZero):
    """A comparison with NaN is false, so NaN gives 0."""


@fault("Y.F1")
class LosesTheSignOfZero(relu.Relu):
    """-0 gives +0."""

    def element(self, x: np.ndarray) -> np.ndarray:
        return super().element(x) + x.dtype.type(0)
