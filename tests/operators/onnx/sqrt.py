"""ONNX Sqrt: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _unary
from tests.operators._unary import Elements
from tests.operators.contract import plant


class Sqrt(Elements):
    """The root in the type of X."""

    def result(self, x):
        """The root, of bfloat16 by way of float32."""
        return np.sqrt(x.astype(np.float32)).astype(x.dtype) if x.dtype.name == "bfloat16" else np.sqrt(x)


plant(globals(), Sqrt, (_unary,), "OtherZeros")
