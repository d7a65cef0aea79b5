"""ONNX Log: an implementation."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Log(_exponentials.Log):
    """By numpy."""


plant(globals(), Log, (_unary, _exponentials),
      "OtherZeros BySignificand ByBinaryLogarithm OneStepTooHigh")
