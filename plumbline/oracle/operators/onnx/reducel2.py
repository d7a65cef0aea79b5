"""ONNX ReduceL2: the definition of `spec/onnx/reducel2.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import EuclideanNorm
from plumbline.oracle.operators.onnx.addresses import NORM


class ReduceL2(EuclideanNorm):
    """A call of ReduceL2 under one version of the text."""

    clauses = NORM
