"""ONNX Pow: an implementation."""

from __future__ import annotations

from tests.operators import _pairs, _powers
from tests.operators._powers import Power
from tests.operators.contract import plant


class Pow(Power):
    """Floating point by numpy, integers by repeated multiplication."""


plant(globals(), Pow, (_powers, _pairs),
      "InDouble ByLogarithm BySquaring RoundsWhatIsCut LargestForOverflow NanForOneByNan PositiveZeros "
      "NanByZeroExponent NanForMinusOne")
