"""ONNX Sigmoid: the definition of `spec/onnx/sigmoid.md`."""

from __future__ import annotations

from plumbline.oracle.families.approximations import OnnxApproximated
from plumbline.oracle.families.exponentials import Logistic


class Sigmoid(Logistic, OnnxApproximated):
    """A call of Sigmoid under one version of the text."""

    zeros = OnnxApproximated.zero_is_open("Y.U3")
