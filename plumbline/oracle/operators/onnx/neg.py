"""Judge and generate calls of ONNX Neg, by `spec/onnx/neg.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import ExactUnary
from plumbline.oracle.operators.onnx.addresses import EXACT


class Neg(ExactUnary):
    """A call of Neg under one version of its specification."""

    clauses = EXACT | {"Y.U1": "lowest_integer"}
    function = staticmethod(np.negative)
