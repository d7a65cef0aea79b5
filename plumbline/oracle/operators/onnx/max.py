"""Judge and generate calls of ONNX Max, by `spec/onnx/max.md`."""

from __future__ import annotations

from plumbline.oracle.families.clauses import elements_of, shape_of_output, type_of_output
from plumbline.oracle.families.extrema import OnnxExtremum, nan_is_open, zero_is_open
from plumbline.oracle.operators.onnx.addresses import EXTREMA


class Max(OnnxExtremum):
    """A call of Max under one version of its specification."""

    clauses = EXTREMA
    operator = "Max"
    output = "max"
    largest = True

    one_shape_of_all = shape_of_output("max.C1", "max")
    shape_of_all = shape_of_output("max.C2", "max")
    type_of_all = type_of_output("max.F2", "max", lambda self: self.inputs["data_0"].dtype)
    any_other = elements_of("max.F1", "max", "not the largest of the elements", lambda self: ~self.any_nan)
    nan = nan_is_open("max.U1", "max")
    zeros = zero_is_open("max.U2", "max")
