"""Judge and generate calls of ONNX Exp, by `spec/onnx/exp.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import Exponential
from plumbline.oracle.operators.onnx.addresses import APPROXIMATED, ATTRIBUTES, TYPES, UNARY


class Exp(Exponential, OnnxApproximated):
    """A call of Exp under one version of its specification."""

    clauses = TYPES | APPROXIMATED | ATTRIBUTES | UNARY
    overflow = OnnxApproximated.overflow_is_open("Y.U3")
    zeros = OnnxApproximated.zero_is_open("Y.U4")
