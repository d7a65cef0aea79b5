"""ONNX Exp: an implementation."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Exp(_exponentials.Exp):
    """By numpy."""


plant(globals(), Exp, (_unary, _exponentials),
      "OtherZeros ZeroForNan FlushesSubnormals ByPowersOfTwo OneStepTooHigh LargestForOverflow")
