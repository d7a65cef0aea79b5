"""Judge and generate calls of ONNX Max and Min, by `spec/onnx/max.md` and `spec/onnx/min.md`."""

from __future__ import annotations

from plumbline.oracle.families.extrema import OnnxExtremum, nan_is_open, zero_is_open
from plumbline.oracle.operators.onnx.addresses import EXTREMA


class Max(OnnxExtremum):
    """A call of Max under one version of its specification."""

    clauses = EXTREMA | {"max.C1": "shape_of_each", "max.C2": "shape_of_all", "max.F1": "any_other"}
    operator, output = "Max", "max"
    largest = True
    nan = nan_is_open("max.U1", "max")
    zeros = zero_is_open("max.U2", "max")


class Min(OnnxExtremum):
    """A call of Min under one version of its specification."""

    clauses = EXTREMA | {"min.C1": "shape_of_each", "min.C2": "shape_of_all", "min.F1": "any_other"}
    operator, output = "Min", "min"
    largest = False
    nan = nan_is_open("min.U1", "min")
    zeros = zero_is_open("min.U2", "min")
