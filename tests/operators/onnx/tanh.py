"""ONNX Tanh: an implementation."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Tanh(_exponentials.Tanh):
    """By numpy."""


plant(globals(), Tanh, (_unary, _exponentials),
      "OtherZeros ZeroForNan ByNegativePowers ByLogistic CutOff FlushesSubnormals "
      "ReadsSubnormalsAsZero ClampsInfinities")
