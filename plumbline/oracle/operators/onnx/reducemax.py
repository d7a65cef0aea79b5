"""Judge and generate calls of ONNX ReduceMax, by `spec/onnx/reducemax.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.set_extrema import SetExtremum
from plumbline.oracle.operators.onnx.addresses import EXTREMUM


class ReduceMax(SetExtremum):
    """A call of ReduceMax under one version of its specification."""

    clauses = EXTREMUM
    pick = np.maximum
    sign = -1
