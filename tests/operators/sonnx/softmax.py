"""SONNX Softmax: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _normalised, _unary
from tests.operators.contract import plant


class Softmax(_normalised.Softmax):
    """By numpy, on the lines as rows of a matrix."""


plant(globals(), Softmax, (_normalised, _unary), {
    "":
        "NothingSubtracted OnePass ByReciprocal OneByOne Backwards InPairs InHalf Wider ByLogarithm ByPowersOfTwo "
        "WithSmallAddition NegativeZeroes OtherZeros HalfOfSingle ZeroForNothing",
    "Y.F1":
        "OtherLines LastAxis FirstAxis Everything ReadsInPlace NotNormalised OnePassWithoutRescaling SumFromOne "
        "CountForSum LargestForSum Norm SumStopsInHalf OfTheNegative LargestAlone EachAlone BaseTwo Cooled CutAtTen "
        "RepeatsTheFirstPlane DoubleInSingle",
    "Y.F1 Y.C1": "NotPutBack",
    "Y.F4":
        "NeverSubtracts HighestOfAll HighestOfTheFirst HighestFromZero FirstSubtracted LogarithmGiven AboveOne "
        "LeavesTheTail",
    "Y.F4 Y.F1": "LowestSubtracted",
    "Y.F1 Y.F4": "LastLeftOut SumOfWholeBlocks SumOfTheFirst",
    "Y.F3": "NanForMinusInfinity LowestForMinusInfinity EqualForNothing",
    "Y.F4 Y.F3": "LineOfNanForMinusInfinity",
    "Y.F2": "SkipsNan OneForInfinity ZeroForNan",
    "Y.F2 Y.F1": "LargestForInfinity",
    "Y.C1": "MatrixGiven Flattened",
    "refusal": "RefusesOneAxis RefusesMoreThanTwoAxes RefusesEmpty",
    "Y.C2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing"
})
