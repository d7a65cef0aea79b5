"""Judge and generate calls of ONNX ReduceLogSumExp, by `spec/onnx/reducelogsumexp.md`."""

from __future__ import annotations

from plumbline.oracle.families.logarithms_of_sums import LogarithmOfExponentials
from plumbline.oracle.operators.onnx.addresses import LOG_SUM_EXP


class ReduceLogSumExp(LogarithmOfExponentials):
    """A call of ReduceLogSumExp under one version of its specification."""

    clauses = LOG_SUM_EXP
