"""ONNX LeakyRelu: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _leaks, _unary
from tests.operators._leaks import Leak
from tests.operators.contract import plant


class LeakyRelu(Leak):
    """alpha in float32."""

    def leaks(self, x):
        """Below zero."""
        return np.less(x, 0)


plant(globals(), LeakyRelu, (_leaks, _unary), "RoundsAlpha HoldsAtTheLargest ZeroForNan")
