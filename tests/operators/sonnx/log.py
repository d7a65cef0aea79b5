"""SONNX Log: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials, _unary
from tests.operators.contract import plant


class Log(_exponentials.Log):
    """By numpy."""


plant(globals(), Log, (_unary, _exponentials), {
    "Y.C1": "ScalarsAsVectors Flattened",
    "refusal": "RefusesEmpty",
    "Y.C2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing",
    "Y.F1 Y.F4": "LeavesTheTail",
    "Y.F1": "RepeatsTheFirstPlane BinaryLogarithm DecimalLogarithm",
    "": "OtherZeros HalfOfSingle BySignificand ByBinaryLogarithm OneStepTooHigh InBfloat16 DoubleInSingle LowestForNan",
    "Y.F2": "ZeroForNan LogarithmOfTheMagnitude ZeroForNegative",
    "Y.F1 Y.F3": "OfOneMore",
    "Y.F3":
        "WithEpsilon LowestForZero NanOfNegativeZeroLogarithm NotExactAtOne NanOfInfinity ClampsInfinities Identity",
    "Y.F4": "NegatesSmallResults ReadsSubnormalsAsZero"
})
