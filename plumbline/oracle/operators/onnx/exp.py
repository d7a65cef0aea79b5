"""ONNX Exp: the definition of `spec/onnx/exp.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import Exponential


class Exp(Exponential, OnnxApproximated):
    """A call of Exp under one version of the text."""

    overflow = OnnxApproximated.overflow_is_open("Y.U3")
    zeros = OnnxApproximated.zero_is_open("Y.U4")
