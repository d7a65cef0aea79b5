"""ONNX Abs and Sqrt: implementations, the plain one first."""

from __future__ import annotations

import numpy as np

from tests.operators import _unary
from tests.operators._unary import Elements
from tests.operators.contract import variants


class Abs(Elements):
    """The element without its sign."""

    def result(self, x):
        """Without the sign."""
        return np.abs(x)


class Sqrt(Elements):
    """The root in the type of X."""

    def result(self, x):
        """The root, of bfloat16 by way of float32."""
        return np.sqrt(x.astype(np.float32)).astype(x.dtype) if x.dtype.name == "bfloat16" else np.sqrt(x)


OPERATORS = {"abs": variants(Abs, (_unary,), "Saturates ZeroForNan NegatesNegativeZeroOnly NegativeZeros"),
             "sqrt": variants(Sqrt, (_unary,), "OtherZeros LowestForNan")}
