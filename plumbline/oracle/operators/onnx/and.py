"""Judge and generate calls of ONNX And, by `spec/onnx/and.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Truth
from plumbline.oracle.operators.onnx.addresses import LIMITED, TRUTH


class And(Truth):
    """A call of And under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_and)
