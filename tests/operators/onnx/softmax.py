"""ONNX Softmax: an implementation."""

from __future__ import annotations

from tests.operators import _normalised, _unary
from tests.operators.contract import plant, version_of


class Softmax(_normalised.Softmax):
    """Of rows of a matrix before version 13."""

    def makes_matrix(self, request):
        return version_of(request) < 13


plant(globals(), Softmax, (_normalised, _unary),
      "NothingSubtracted OnePass ByReciprocal OneByOne Backwards InPairs InHalf Wider ByLogarithm ByPowersOfTwo "
      "WithSmallAddition NegativeZeroes OtherZeros ZeroForNothing SkipsNan OneForInfinity EqualForNothing "
      "ZeroForNan")
