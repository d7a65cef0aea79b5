"""Judge and generate calls of ONNX Equal, by `spec/onnx/equal.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Comparison
from plumbline.oracle.operators.onnx.addresses import COMPARISON, LIMITED


class Equal(Comparison):
    """A call of Equal under one version of its specification."""

    clauses = COMPARISON | LIMITED
    test = staticmethod(np.equal)
    turns = None
    takes_strings = True
