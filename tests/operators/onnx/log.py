"""ONNX Log: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials
from tests.operators._exponentials import (
    BinaryLogarithm,
    ByBinaryLogarithm,
    BySignificand,
    DecimalLogarithm,
    InBfloat16,
    LogarithmOfTheMagnitude,
    LowestForZero,
    NanOfNegativeZeroLogarithm,
    NegatesSmallResults,
    NotExactAtOne,
    OfOneMore,
    WithEpsilon,
    ZeroForNegative,
)
from tests.operators._unary import (
    ClampsInfinities,
    DoubleInSingle,
    Flattened,
    GivesNothing,
    HalfOfSingle,
    Identity,
    LeavesTheTail,
    NanOfInfinity,
    NarrowsDouble,
    OneStepTooHigh,
    OtherZeros,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    WidensHalf,
    ZeroForNan,
)
from tests.operators.contract import plant


class Log(_exponentials.Log):
    """By numpy."""


plant(globals(), Log, {
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), RefusesEmpty: ("refusal",), WidensHalf: ("Y.F2",),
    NarrowsDouble: ("Y.F2",), GivesNothing: ("signature.F1",), LeavesTheTail: ("Y.F1", "Y.F4"),
    RepeatsTheFirstPlane: ("Y.F1",), OtherZeros: (), HalfOfSingle: (), ZeroForNan: ("Y.F5",), BySignificand: (),
    ByBinaryLogarithm: (), OneStepTooHigh: (), InBfloat16: (), BinaryLogarithm: ("Y.F1",), DecimalLogarithm: ("Y.F1",),
    OfOneMore: ("Y.F1", "Y.F3"), WithEpsilon: ("Y.F3",), LogarithmOfTheMagnitude: ("Y.F5",), LowestForZero: ("Y.F3",),
    ZeroForNegative: ("Y.F5",), NanOfNegativeZeroLogarithm: ("Y.F3",), NotExactAtOne: ("Y.F3",),
    NegatesSmallResults: ("Y.F4",), NanOfInfinity: ("Y.F3",), ClampsInfinities: ("Y.F3",), Identity: ("Y.F3",),
    ReadsSubnormalsAsZero: ("Y.F4",), DoubleInSingle: ()
})
