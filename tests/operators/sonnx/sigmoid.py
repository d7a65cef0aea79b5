"""SONNX Sigmoid: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Sigmoid(_exponentials.Sigmoid):
    """With powers of negative numbers alone."""


plant(globals(), Sigmoid, (_unary, _exponentials), {
    "Y.C1": "ScalarsAsVectors Flattened",
    "refusal": "RefusesEmpty",
    "Y.C2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing",
    "Y.F1 Y.F4": "LeavesTheTail",
    "Y.F1": "RepeatsTheFirstPlane HardSigmoid OfTheMagnitude OfTheNegative OfTwice OfHalf ZeroBelow",
    "":
        "OtherZeros HalfOfSingle ByOneFormula ByHyperbolicTangent CutOff FlushesSubnormals InBfloat16 "
        "ReadsSubnormalsAsZero ClampsInfinities DoubleInSingle",
    "Y.F2": "ZeroForNan",
    "Y.F3 Y.F4": "QuotientOfPowers LessOne",
    "Y.F3": "GivesTanh NotExactAtZero NanForMinusInfinity NanOfInfinity Identity",
    "Y.F4": "OneStepTooHigh NegatesSmallResults"
})
