"""SONNX Softmax: an implementation."""

from __future__ import annotations

from tests.operators import _normalised, _unary
from tests.operators.contract import plant


class Softmax(_normalised.Softmax):
    """By numpy, on the lines as rows of a matrix."""


plant(globals(), Softmax, (_normalised, _unary),
      "NothingSubtracted OnePass ByReciprocal OneByOne Backwards InPairs InHalf Wider ByLogarithm ByPowersOfTwo "
      "WithSmallAddition NegativeZeroes OtherZeros ZeroForNothing")
