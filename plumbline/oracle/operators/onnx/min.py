"""Judge and generate calls of ONNX Min, by `spec/onnx/min.md`."""

from __future__ import annotations

from plumbline.oracle.families.clauses import elements_of, shape_of_output, type_of_output
from plumbline.oracle.families.extrema import OnnxExtremum, nan_is_open, zero_is_open
from plumbline.oracle.operators.onnx.addresses import EXTREMA


class Min(OnnxExtremum):
    """A call of Min under one version of its specification."""

    clauses = EXTREMA
    operator = "Min"
    output = "min"
    largest = False

    one_shape_of_all = shape_of_output("min.C1", "min")
    shape_of_all = shape_of_output("min.C2", "min")
    type_of_all = type_of_output("min.F2", "min", lambda self: self.inputs["data_0"].dtype)
    any_other = elements_of("min.F1", "min", "not the smallest of the elements", lambda self: ~self.any_nan)
    nan = nan_is_open("min.U1", "min")
    zeros = zero_is_open("min.U2", "min")
