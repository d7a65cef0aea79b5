"""Judge and generate calls of ONNX ReduceMean, by `spec/onnx/reducemean.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import Mean
from plumbline.oracle.operators.onnx.addresses import MEAN


class ReduceMean(Mean):
    """A call of ReduceMean under one version of its specification."""

    clauses = MEAN
