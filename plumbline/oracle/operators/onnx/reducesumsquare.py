"""Judge and generate calls of ONNX ReduceSumSquare, by `spec/onnx/reducesumsquare.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import Squares
from plumbline.oracle.operators.onnx.addresses import COMPOSITE


class ReduceSumSquare(Squares):
    """A call of ReduceSumSquare under one version of its specification."""

    clauses = COMPOSITE
