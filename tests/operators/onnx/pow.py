"""ONNX Pow: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _pairs, _powers
from tests.operators._powers import Power
from tests.operators.contract import plant


class Pow(Power):
    """Floating point by numpy, integers by repeated multiplication."""


plant(globals(), Pow, (_powers, _pairs), {
    "":
        "InDouble ByLogarithm BySquaring RoundsWhatIsCut LargestForOverflow NanForOneByNan PositiveZeros "
        "NanByZeroExponent NanForMinusOne",
    "C.F1":
        "Swapped Square NegatedExponent WholeExponents StopsAtEight DoubleInSingle FirstOfB IgnoresB LeavesTheTail "
        "RepeatsTheFirstPlane ExponentsInBytes RepeatsInsteadOfBroadcasting IgnoresTheAxis",
    "C.F1 C.F3": "Product",
    "C.F4": "SignLost SignKept NoNegativeBases NanForOverflow",
    "C.F5": "MinusForFractions ZeroForNoNumber ZeroForNan",
    "C.F3": "ZeroByZeroExponent NanOfZero ZeroForNegativeExponents",
    "C.F7": "NanByInfinity InfinitySwapped PositiveInfinity",
    "C.F2": "TypeOfTheExponent CommonType WidensHalf NarrowsDouble",
    "C.F6": "IntegersInDouble IntegersInSingle OneMultiplicationLess MagnitudeOfIntegers",
    "refusal": "RefusesIntegers RefusesEmpty RefusesOtherTypes NoLeadingAxes",
    "signature.F1": "GivesNothing",
    "C.C1 C.C2": "Flattened ScalarsAsVectors",
    "C.F3 C.F5": "ExponentsInSingle",
    "C.C2": "ShapeOfA"
})
