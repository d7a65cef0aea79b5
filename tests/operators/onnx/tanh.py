"""ONNX Tanh: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Tanh(_exponentials.Tanh):
    """By numpy."""


plant(globals(), Tanh, (_unary, _exponentials), {
    "Y.C1": "ScalarsAsVectors Flattened",
    "refusal": "RefusesEmpty",
    "Y.F2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing",
    "Y.F1 Y.F4": "LeavesTheTail",
    "Y.F1": "RepeatsTheFirstPlane HardTanh OfTwice OfHalf ZeroBelow Softsign LinearNearZero",
    "":
        "OtherZeros HalfOfSingle ZeroForNan ByNegativePowers ByLogistic CutOff FlushesSubnormals InBfloat16 "
        "ReadsSubnormalsAsZero ClampsInfinities DoubleInSingle",
    "Y.F3 Y.F4": "QuotientOfDifferences",
    "Y.F3": "GivesSigmoid NotExactAtZero NanForMinusInfinity NanOfInfinity Identity",
    "Y.F4": "OfTheMagnitude OfTheNegative OneStepTooHigh NegatesSmallResults"
})
