"""Judge and generate calls of ONNX Mul, by `spec/onnx/mul.md`."""

from __future__ import annotations

from operator import mul

import numpy as np

from plumbline.oracle.families.arithmetic import OnnxArithmetic
from plumbline.oracle.operators.onnx.addresses import ARITHMETIC, BINARY


class Mul(OnnxArithmetic):
    """A call of Mul under one version of its specification."""

    clauses = ARITHMETIC | BINARY
    operator = "Mul"
    operation = np.multiply
    exactly = mul
