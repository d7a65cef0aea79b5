"""ONNX Abs: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _unary
from tests.operators._unary import Elements
from tests.operators.contract import plant


class Abs(Elements):
    """The element without its sign."""

    def result(self, x):
        """Without the sign."""
        return np.abs(x)


plant(globals(), Abs, (_unary,), "Saturates ZeroForNan NegatesNegativeZeroOnly NegativeZeros")
