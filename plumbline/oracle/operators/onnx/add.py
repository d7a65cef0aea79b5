"""Judge and generate calls of ONNX Add, by `spec/onnx/add.md`."""

from __future__ import annotations

from operator import add

import numpy as np

from plumbline.oracle.families.arithmetic import OnnxArithmetic
from plumbline.oracle.operators.onnx.addresses import ARITHMETIC, BINARY


class Add(OnnxArithmetic):
    """A call of Add under one version of its specification."""

    clauses = ARITHMETIC | BINARY
    operator = "Add"
    operation = np.add
    exactly = add
