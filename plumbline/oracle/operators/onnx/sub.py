"""Judge and generate calls of ONNX Sub, by `spec/onnx/sub.md`."""

from __future__ import annotations

from operator import sub

import numpy as np

from plumbline.oracle.families.arithmetic import OF_DIFFERENCES, OnnxArithmetic
from plumbline.oracle.operators.onnx.addresses import ARITHMETIC, BINARY


class Sub(OnnxArithmetic):
    """A call of Sub under one version of its specification."""

    clauses = ARITHMETIC | BINARY
    operator = "Sub"
    operation = np.subtract
    exactly = sub
    symptoms = {**OnnxArithmetic.symptoms, **OF_DIFFERENCES}
