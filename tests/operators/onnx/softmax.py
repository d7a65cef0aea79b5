"""ONNX Softmax: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _normalised, _unary
from tests.operators.contract import plant, version_of


class Softmax(_normalised.Softmax):
    """Of rows of a matrix before version 13."""

    def makes_matrix(self, request):
        return version_of(request) < 13


plant(globals(), Softmax, (_normalised, _unary), {
    "":
        "NothingSubtracted OnePass ByReciprocal OneByOne Backwards InPairs InHalf Wider ByLogarithm ByPowersOfTwo "
        "WithSmallAddition NegativeZeroes OtherZeros HalfOfSingle ZeroForNothing SkipsNan OneForInfinity "
        "EqualForNothing ZeroForNan",
    "Y.F1":
        "OtherLines LastAxis FirstAxis Everything ReadsInPlace NotNormalised OnePassWithoutRescaling SumFromOne "
        "CountForSum LargestForSum Norm SumStopsInHalf OfTheNegative LargestAlone EachAlone BaseTwo Cooled CutAtTen "
        "LargestForInfinity RepeatsTheFirstPlane DoubleInSingle OtherDefault AxisFromTheBackIsTheLast "
        "AxisFromTheBackIsOneOff",
    "Y.F1 Y.C1": "NotPutBack",
    "Y.F4":
        "NeverSubtracts HighestOfAll HighestOfTheFirst HighestFromZero FirstSubtracted LogarithmGiven AboveOne "
        "LeavesTheTail",
    "Y.F4 Y.F1": "LowestSubtracted",
    "Y.F1 Y.F4": "LastLeftOut SumOfWholeBlocks SumOfTheFirst",
    "Y.F3": "NanForMinusInfinity LowestForMinusInfinity",
    "Y.F4 Y.F3": "LineOfNanForMinusInfinity",
    "Y.C1": "MatrixGiven Flattened",
    "refusal": "RefusesOneAxis RefusesMoreThanTwoAxes RefusesEmpty",
    "Y.F2": "WidensHalf NarrowsDouble",
    "signature.F1": "GivesNothing"
})
