"""ONNX ReduceLogSum: the definition of `spec/onnx/reducelogsum.md`."""

from __future__ import annotations

from plumbline.oracle.families.logarithms_of_sums import LogarithmOfSum
from plumbline.oracle.operators.onnx.addresses import LOG_SUM


class ReduceLogSum(LogarithmOfSum):
    """A call of ReduceLogSum under one version of the text."""

    clauses = LOG_SUM
