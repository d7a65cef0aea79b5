"""Judge and generate calls of ONNX Floor, by `spec/onnx/floor.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import Rounding
from plumbline.oracle.operator import on_elements
from plumbline.oracle.operators.onnx.addresses import EXACT


class Floor(Rounding):
    """A call of Floor under one version of its specification."""

    clauses = EXACT | {"Y.U4": "zeros_of_others"}
    function = staticmethod(np.floor)

    @on_elements("Y.F3", "Y", "not NaN for NaN or the same zero for a zero")
    def x_itself(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x == 0) | (self.x != self.x))
