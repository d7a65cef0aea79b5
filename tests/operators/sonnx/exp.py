"""SONNX Exp: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Exp(_exponentials.Exp):
    """By numpy."""


plant(globals(), Exp, (_unary, _exponentials), {
    "Y.C1": "ScalarsAsVectors Flattened",
    "refusal": "RefusesEmpty",
    "Y.C2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing",
    "Y.F1 Y.F4": "LeavesTheTail Identity",
    "Y.F1": "RepeatsTheFirstPlane PowersOfTwo PowersOfTen OfTwice StopsAtTen ZeroBelow DoubleInSingle",
    "": "OtherZeros HalfOfSingle FlushesSubnormals ByPowersOfTwo OneStepTooHigh InBfloat16",
    "Y.F2": "ZeroForNan",
    "Y.F3": "LargestForOverflow OfTheNegative NanForOverflow NotExactAtZero NanForMinusInfinity NanOfInfinity",
    "Y.F1 Y.F3 Y.F4": "LessOne",
    "Y.F1 Y.F3": "OfTheMagnitude",
    "Y.F4": "NegatesSmallResults"
})
