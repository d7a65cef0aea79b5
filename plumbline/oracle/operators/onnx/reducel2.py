"""Judge and generate calls of ONNX ReduceL2, by `spec/onnx/reducel2.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.functions import canonical_by_body
from plumbline.oracle.families.totals import EuclideanNorm
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import NORM


class ReduceL2(EuclideanNorm):
    """A call of ReduceL2 under one version of its specification."""

    clauses = NORM

    @evidence("reduced.E2")
    @staticmethod
    def root_in_float32() -> str:
        data = np.array([1 + 2.0**-40])
        body = canonical_by_body("onnx/reducel2@18", Call("ReduceL2", {}, {"data": data}))["reduced"].item()
        assert body == 1 != data[0]
        return f"of {data[0]!r} in float64, whose norm it is, the function body gives {body!r}"
