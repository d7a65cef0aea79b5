"""Judge and generate calls of ONNX Xor, by `spec/onnx/xor.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Truth
from plumbline.oracle.operators.onnx.addresses import LIMITED, TRUTH


class Xor(Truth):
    """A call of Xor under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_xor)
