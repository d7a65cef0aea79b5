"""Judge and generate calls of ONNX Sigmoid, by `spec/onnx/sigmoid.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import Logistic
from plumbline.oracle.operators.onnx.addresses import APPROXIMATED, ATTRIBUTES, TYPES, UNARY


class Sigmoid(Logistic, OnnxApproximated):
    """A call of Sigmoid under one version of its specification."""

    clauses = TYPES | APPROXIMATED | ATTRIBUTES | UNARY
    zeros = OnnxApproximated.zero_is_open("Y.U3")
