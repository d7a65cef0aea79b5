"""ONNX Add, Sub, Mul and Div: implementations, the plain one first."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic, divide
from tests.operators.contract import variants

ALLOWED = "InDouble Saturates HoldsAtTheLargest ZeroForNan OtherZeros"


class Add(Arithmetic):
    """`a + b`, in the type of both."""

    def operation(self, a, b):
        return a + b


class Sub(Arithmetic):
    """`a - b`, in the type of both."""

    def operation(self, a, b):
        return a - b


class Mul(Arithmetic):
    """`a * b`, in the type of both."""

    def operation(self, a, b):
        return a * b


class Div(Arithmetic):
    """`a / b`, in the type of both."""

    exact_of_objects = False

    def operation(self, a, b):
        return divide(a, b)


OPERATORS = {kind.__name__.lower(): variants(kind, (_arithmetic, _pairs), ALLOWED) for kind in (Add, Sub, Mul, Div)}
