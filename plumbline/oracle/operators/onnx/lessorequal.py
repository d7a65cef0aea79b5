"""Judge and generate calls of ONNX LessOrEqual, by `spec/onnx/lessorequal.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Comparison
from plumbline.oracle.operators.onnx.addresses import COMPARISON


class LessOrEqual(Comparison):
    """A call of LessOrEqual under one version of its specification."""

    clauses = COMPARISON
    test = staticmethod(np.less_equal)
