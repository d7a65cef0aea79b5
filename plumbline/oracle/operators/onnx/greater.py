"""Judge and generate calls of ONNX Greater, by `spec/onnx/greater.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Comparison
from plumbline.oracle.operators.onnx.addresses import COMPARISON, LIMITED


class Greater(Comparison):
    """A call of Greater under one version of its specification."""

    clauses = COMPARISON | LIMITED
    test = staticmethod(np.greater)
