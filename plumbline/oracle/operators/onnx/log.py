"""Judge and generate calls of ONNX Log, by `spec/onnx/log.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import Logarithm
from plumbline.oracle.operator import on_elements
from plumbline.oracle.operators.onnx.addresses import APPROXIMATED, ATTRIBUTES, TYPES, UNARY


class Log(Logarithm, OnnxApproximated):
    """A call of Log under one version of its specification."""

    clauses = TYPES | APPROXIMATED | ATTRIBUTES | UNARY
    zeros = OnnxApproximated.zero_is_open("Y.U3")

    @on_elements("Y.F5", "Y", "not NaN where X is below zero")
    def negative(self, got: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return self.x < 0
