"""SONNX Pow: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _pairs, _powers
from tests.operators._powers import Power
from tests.operators.contract import plant


class Pow(Power):
    """Floating point by numpy, integers by repeated multiplication."""


plant(globals(), Pow, (_powers, _pairs), {
    "": "InDouble ByLogarithm BySquaring LargestForOverflow NanForOneByNan",
    "float.C.F2":
        "PositiveZeros MinusForFractions ZeroForNoNumber ZeroByZeroExponent NanByZeroExponent NanOfZero NanByInfinity "
        "NanForMinusOne InfinitySwapped PositiveInfinity ZeroForNan",
    "float.C.F1":
        "Swapped Square NegatedExponent WholeExponents StopsAtEight DoubleInSingle FirstOfB IgnoresB LeavesTheTail "
        "RepeatsTheFirstPlane",
    "float.C.F1 float.C.F2": "Product",
    "float.C.F3": "SignLost SignKept NoNegativeBases NanForOverflow",
    "C.C2": "WidensHalf NarrowsDouble",
    "int.C.F1": "IntegersInDouble IntegersInSingle OneMultiplicationLess MagnitudeOfIntegers",
    "refusal": "RefusesIntegers RefusesEmpty",
    "signature.F1": "GivesNothing",
    "C.C1": "Flattened ScalarsAsVectors"
})
