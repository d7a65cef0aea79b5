"""SONNX MatMul: an implementation."""

from __future__ import annotations

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, plant


class MatMul(shared.Product):
    """The product of two matrices."""

    def run(self, request: Request) -> Outputs:
        """Y."""
        a, b = (np.asarray(request.inputs[name]) for name in ("A", "B"))
        with np.errstate(all="ignore"):
            return {"Y": self.multiply(a, b)}


plant(globals(), MatMul, (shared,), "Backwards Wider InHalves Fused")
