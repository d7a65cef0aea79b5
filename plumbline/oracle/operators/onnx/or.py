"""Judge and generate calls of ONNX Or, by `spec/onnx/or.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Truth
from plumbline.oracle.operators.onnx.addresses import LIMITED, TRUTH


class Or(Truth):
    """A call of Or under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_or)
