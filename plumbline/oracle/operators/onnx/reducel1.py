"""Judge and generate calls of ONNX ReduceL1, by `spec/onnx/reducel1.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import Absolute
from plumbline.oracle.operators.onnx.addresses import COMPOSITE


class ReduceL1(Absolute):
    """A call of ReduceL1 under one version of its specification."""

    clauses = COMPOSITE
