"""ONNX ReduceSum: the definition of `spec/onnx/reducesum.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import Total
from plumbline.oracle.operators.onnx.addresses import TOTAL


class ReduceSum(Total):
    """A call of ReduceSum under one version of the text."""

    clauses = TOTAL
