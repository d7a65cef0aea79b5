"""Judge and generate calls of ONNX Tanh, by `spec/onnx/tanh.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import HyperbolicTangent
from plumbline.oracle.operators.onnx.addresses import APPROXIMATED, ATTRIBUTES, TYPES, UNARY


class Tanh(HyperbolicTangent, OnnxApproximated):
    """A call of Tanh under one version of its specification."""

    clauses = TYPES | APPROXIMATED | ATTRIBUTES | UNARY
    # the specification does not define the sign of a zero result
    zeros = OnnxApproximated.zero_is_open("Y.U3")
