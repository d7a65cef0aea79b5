"""Judge and generate calls of ONNX Round, by `spec/onnx/round.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import Rounding
from plumbline.oracle.operator import on_elements


class Round(Rounding):
    """A call of Round under one version of its specification."""

    clauses = {"Y.F1": "any_other", "Y.U4": "zeros_of_others"}
    function = staticmethod(np.rint)

    @on_elements("Y.F3", "Y", "not NaN for NaN or the same zero for a zero")
    def x_itself(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x == 0) | (self.x != self.x))
