"""SONNX Softmax: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _normalised
from tests.operators._normalised import (
    AboveOne,
    Backwards,
    BaseTwo,
    ByLogarithm,
    ByPowersOfTwo,
    ByReciprocal,
    Cooled,
    CountForSum,
    CutAtTen,
    EachAlone,
    EqualForNothing,
    Everything,
    FirstAxis,
    FirstSubtracted,
    HighestFromZero,
    HighestOfAll,
    HighestOfTheFirst,
    InHalf,
    InPairs,
    LargestAlone,
    LargestForInfinity,
    LargestForSum,
    LastAxis,
    LastLeftOut,
    LineOfNanForMinusInfinity,
    LogarithmGiven,
    LowestForMinusInfinity,
    LowestSubtracted,
    MatrixGiven,
    NanForMinusInfinity,
    NegativeZeroes,
    NeverSubtracts,
    Norm,
    NothingSubtracted,
    NotNormalised,
    NotPutBack,
    OfTheNegative,
    OneByOne,
    OneForInfinity,
    OnePass,
    OnePassWithoutRescaling,
    OtherLines,
    ReadsInPlace,
    RefusesMoreThanTwoAxes,
    RefusesOneAxis,
    SkipsNan,
    SumFromOne,
    SumOfTheFirst,
    SumOfWholeBlocks,
    SumStopsInHalf,
    Wider,
    WithSmallAddition,
    ZeroForNothing,
)
from tests.operators._unary import (
    DoubleInSingle,
    Flattened,
    GivesNothing,
    HalfOfSingle,
    LeavesTheTail,
    NarrowsDouble,
    OtherZeros,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    WidensHalf,
    ZeroForNan,
)
from tests.operators.contract import plant


class Softmax(_normalised.Softmax):
    """By numpy, on the lines as rows of a matrix."""


plant(globals(), Softmax, {
    NothingSubtracted: (), OnePass: (), ByReciprocal: (), OneByOne: (), Backwards: (), InPairs: (), InHalf: (),
    Wider: (), ByLogarithm: (), ByPowersOfTwo: (), WithSmallAddition: (), NegativeZeroes: (), OtherZeros: (),
    HalfOfSingle: (), ZeroForNothing: (), OtherLines: ("Y.F1",), LastAxis: ("Y.F1",), FirstAxis: ("Y.F1",),
    Everything: ("Y.F1",), NotPutBack: ("Y.F1", "Y.C1"), ReadsInPlace: ("Y.F1",), NotNormalised: ("Y.F1",),
    NeverSubtracts: ("Y.F4",), HighestOfAll: ("Y.F4",), HighestOfTheFirst: ("Y.F4",), HighestFromZero: ("Y.F4",),
    LowestSubtracted: ("Y.F4", "Y.F1"), FirstSubtracted: ("Y.F4",), OnePassWithoutRescaling: ("Y.F1",),
    LastLeftOut: ("Y.F1", "Y.F4"), SumOfWholeBlocks: ("Y.F1", "Y.F4"), SumOfTheFirst: ("Y.F1", "Y.F4"),
    SumFromOne: ("Y.F1",), CountForSum: ("Y.F1",), LargestForSum: ("Y.F1",), Norm: ("Y.F1",),
    SumStopsInHalf: ("Y.F1",), LogarithmGiven: ("Y.F4",), OfTheNegative: ("Y.F1",), LargestAlone: ("Y.F1",),
    EachAlone: ("Y.F1",), BaseTwo: ("Y.F1",), Cooled: ("Y.F1",), CutAtTen: ("Y.F1",), NanForMinusInfinity: ("Y.F3",),
    LineOfNanForMinusInfinity: ("Y.F4", "Y.F3"), LowestForMinusInfinity: ("Y.F3",), SkipsNan: ("Y.F2",),
    OneForInfinity: ("Y.F2",), LargestForInfinity: ("Y.F2", "Y.F1"), EqualForNothing: ("Y.F3",), ZeroForNan: ("Y.F2",),
    AboveOne: ("Y.F4",), MatrixGiven: ("Y.C1",), RefusesOneAxis: ("refusal",), RefusesMoreThanTwoAxes: ("refusal",),
    Flattened: ("Y.C1",), LeavesTheTail: ("Y.F4",), RepeatsTheFirstPlane: ("Y.F1",), RefusesEmpty: ("refusal",),
    WidensHalf: ("Y.C2",), NarrowsDouble: ("Y.C2",), GivesNothing: ("signature.F1",), DoubleInSingle: ("Y.F1",)
})
