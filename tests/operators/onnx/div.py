"""ONNX Div: an implementation."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic, divide
from tests.operators.contract import plant


class Div(Arithmetic):
    """`a / b`, in the type of both."""

    exact_of_objects = False

    def operation(self, a, b):
        """One element of each."""
        return divide(a, b)


plant(globals(), Div, (_arithmetic, _pairs), "InDouble Saturates HoldsAtTheLargest ZeroForNan OtherZeros")
