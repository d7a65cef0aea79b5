"""ONNX Add, Sub, Mul and Div: implementations, the plain one first."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic, divide
from tests.operators.contract import variants


class Add(Arithmetic):
    """`a + b`, in the type of both."""

    operation = staticmethod(lambda a, b: a + b)


class Sub(Arithmetic):
    """`a - b`, in the type of both."""

    operation = staticmethod(lambda a, b: a - b)


class Mul(Arithmetic):
    """`a * b`, in the type of both."""

    operation = staticmethod(lambda a, b: a * b)


class Div(Arithmetic):
    """`a / b`, in the type of both."""

    exact_of_objects, operation = False, staticmethod(divide)


OPERATORS = {kind.__name__.lower(): variants(kind, (_arithmetic, _pairs), "InDouble Saturates HoldsAtTheLargest "
                                             "ZeroForNan OtherZeros") for kind in (Add, Sub, Mul, Div)}
