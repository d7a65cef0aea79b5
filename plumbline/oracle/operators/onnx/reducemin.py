"""Judge and generate calls of ONNX ReduceMin, by `spec/onnx/reducemin.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.set_extrema import SetExtremum
from plumbline.oracle.operators.onnx.addresses import EXTREMUM


class ReduceMin(SetExtremum):
    """A call of ReduceMin under one version of its specification."""

    clauses = EXTREMUM
    pick = np.minimum
    sign = 1
