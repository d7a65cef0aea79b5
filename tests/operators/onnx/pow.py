"""ONNX Pow: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._pairs import (
    FirstOfB,
    IgnoresB,
    IgnoresTheAxis,
    LeavesTheTail,
    NoLeadingAxes,
    RefusesEmpty,
    RepeatsInsteadOfBroadcasting,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    ShapeOfA,
)
from tests.operators._powers import (
    ByLogarithm,
    BySquaring,
    CommonType,
    DoubleInSingle,
    ExponentsInBytes,
    ExponentsInSingle,
    Flattened,
    GivesNothing,
    InDouble,
    InfinitySwapped,
    IntegersInDouble,
    IntegersInSingle,
    LargestForOverflow,
    MagnitudeOfIntegers,
    MinusForFractions,
    NanByInfinity,
    NanByZeroExponent,
    NanForMinusOne,
    NanForOneByNan,
    NanForOverflow,
    NanOfZero,
    NarrowsDouble,
    NegatedExponent,
    NoNegativeBases,
    OneMultiplicationLess,
    PositiveInfinity,
    PositiveZeros,
    Power,
    Product,
    RefusesIntegers,
    RefusesOtherTypes,
    RoundsWhatIsCut,
    SignKept,
    SignLost,
    Square,
    StopsAtEight,
    Swapped,
    TypeOfTheExponent,
    WholeExponents,
    WidensHalf,
    ZeroByZeroExponent,
    ZeroForNan,
    ZeroForNegativeExponents,
    ZeroForNoNumber,
)
from tests.operators.contract import plant


class Pow(Power):
    """Floating point by numpy, integers by repeated multiplication."""


plant(globals(), Pow, {
    InDouble: (), ByLogarithm: (), BySquaring: (), RoundsWhatIsCut: (), LargestForOverflow: (),
    NanForOneByNan: (), PositiveZeros: (), Swapped: ("C.F1",), Product: ("C.F1", "C.F3"), Square: ("C.F1",),
    NegatedExponent: ("C.F1",), WholeExponents: ("C.F1",), SignLost: ("C.F4",), SignKept: ("C.F4",),
    MinusForFractions: ("C.F5",), NoNegativeBases: ("C.F4",), ZeroForNoNumber: ("C.F5",),
    ZeroByZeroExponent: ("C.F3",), NanByZeroExponent: (), NanOfZero: ("C.F3",), NanByInfinity: ("C.F7",),
    NanForMinusOne: (), InfinitySwapped: ("C.F7",), PositiveInfinity: ("C.F7",), ZeroForNan: ("C.F5",),
    NanForOverflow: ("C.F4",), StopsAtEight: ("C.F1",), TypeOfTheExponent: ("C.F2",), CommonType: ("C.F2",),
    WidensHalf: ("C.F2",), NarrowsDouble: ("C.F2",), DoubleInSingle: ("C.F1",), IntegersInDouble: ("C.F6",),
    IntegersInSingle: ("C.F6",), OneMultiplicationLess: ("C.F6",), MagnitudeOfIntegers: ("C.F6",),
    RefusesIntegers: ("refusal",), GivesNothing: ("signature.F1",), Flattened: ("C.C1", "C.C2"), FirstOfB: ("C.F1",),
    IgnoresB: ("C.F1",), LeavesTheTail: ("C.F1",), RepeatsTheFirstPlane: ("C.F1",), ScalarsAsVectors: ("C.C1", "C.C2"),
    RefusesEmpty: ("refusal",), ExponentsInSingle: ("C.F3", "C.F5"), ExponentsInBytes: ("C.F1",),
    ZeroForNegativeExponents: ("C.F3",), RefusesOtherTypes: ("refusal",), RepeatsInsteadOfBroadcasting: ("C.F1",),
    NoLeadingAxes: ("refusal",), ShapeOfA: ("C.C2",), IgnoresTheAxis: ("C.F1",)
})
