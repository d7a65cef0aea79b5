"""ONNX Neg: the definition of `spec/onnx/neg.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import ExactUnary
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import EXACT


class Neg(ExactUnary):
    """A call of Neg under one version of the text."""

    clauses = EXACT
    function = staticmethod(np.negative)

    @unspecified("Y.U1")
    def lowest_integer(self) -> Unspecified | None:
        return Unspecified.of(self.x == np.iinfo(self.x.dtype).min, "Y") if self.x.dtype.kind == "i" else None
