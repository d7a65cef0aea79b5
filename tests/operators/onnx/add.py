"""ONNX Add: an implementation."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic
from tests.operators.contract import plant


class Add(Arithmetic):
    """`a + b`, in the type of both."""

    def operation(self, a, b):
        """One element of each."""
        return a + b


plant(globals(), Add, (_arithmetic, _pairs), "InDouble Saturates HoldsAtTheLargest ZeroForNan OtherZeros")
