"""ONNX Sigmoid: an implementation."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Sigmoid(_exponentials.Sigmoid):
    """With powers of negative numbers alone."""


plant(globals(), Sigmoid, (_unary, _exponentials),
      "OtherZeros ZeroForNan ByOneFormula ByHyperbolicTangent CutOff FlushesSubnormals "
      "ReadsSubnormalsAsZero ClampsInfinities")
