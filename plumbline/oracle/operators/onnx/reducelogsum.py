"""Judge and generate calls of ONNX ReduceLogSum, by `spec/onnx/reducelogsum.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.logarithms_of_sums import LogarithmOfSum
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import LOG_SUM


class ReduceLogSum(LogarithmOfSum):
    """A call of ReduceLogSum under one version of its specification."""

    clauses = LOG_SUM

    @evidence("reduced.E2")
    @staticmethod
    def without_integers() -> str:
        return broken_body("onnx/reducelogsum@18", Call("ReduceLogSum", {}, {"data": np.ones(1, np.int32)}))
