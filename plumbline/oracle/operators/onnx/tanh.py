"""ONNX Tanh: the definition of `spec/onnx/tanh.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import HyperbolicTangent


class Tanh(HyperbolicTangent, OnnxApproximated):
    """A call of Tanh under one version of the text."""

    zeros = OnnxApproximated.zero_is_open("Y.U3")
