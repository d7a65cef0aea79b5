"""Judge and generate calls of ONNX GreaterOrEqual, by `spec/onnx/greaterorequal.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Comparison
from plumbline.oracle.operators.onnx.addresses import COMPARISON


class GreaterOrEqual(Comparison):
    """A call of GreaterOrEqual under one version of its specification."""

    clauses = COMPARISON
    test = staticmethod(np.greater_equal)
