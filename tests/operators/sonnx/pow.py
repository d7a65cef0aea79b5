"""SONNX Pow: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._pairs import (
    FirstOfB,
    IgnoresB,
    LeavesTheTail,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
)
from tests.operators._powers import (
    ByLogarithm,
    BySquaring,
    DoubleInSingle,
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
    SignKept,
    SignLost,
    Square,
    StopsAtEight,
    Swapped,
    WholeExponents,
    WidensHalf,
    ZeroByZeroExponent,
    ZeroForNan,
    ZeroForNoNumber,
)
from tests.operators.contract import plant


class Pow(Power):
    """Floating point by numpy, integers by repeated multiplication."""


plant(globals(), Pow, {
    InDouble: (), ByLogarithm: (), BySquaring: (), LargestForOverflow: (), NanForOneByNan: (),
    PositiveZeros: ("float.C.F2",), Swapped: ("float.C.F1",), Product: ("float.C.F1", "float.C.F2"),
    Square: ("float.C.F1",), NegatedExponent: ("float.C.F1",), WholeExponents: ("float.C.F1",),
    SignLost: ("float.C.F3",), SignKept: ("float.C.F3",), MinusForFractions: ("float.C.F2",),
    NoNegativeBases: ("float.C.F3",), ZeroForNoNumber: ("float.C.F2",), ZeroByZeroExponent: ("float.C.F2",),
    NanByZeroExponent: ("float.C.F2",), NanOfZero: ("float.C.F2",), NanByInfinity: ("float.C.F2",),
    NanForMinusOne: ("float.C.F2",), InfinitySwapped: ("float.C.F2",), PositiveInfinity: ("float.C.F2",),
    ZeroForNan: ("float.C.F2",), NanForOverflow: ("float.C.F3",), StopsAtEight: ("float.C.F1",), WidensHalf: ("C.C2",),
    NarrowsDouble: ("C.C2",), DoubleInSingle: ("float.C.F1",), IntegersInDouble: ("int.C.F1",),
    IntegersInSingle: ("int.C.F1",), OneMultiplicationLess: ("int.C.F1",), MagnitudeOfIntegers: ("int.C.F1",),
    RefusesIntegers: ("refusal",), GivesNothing: ("signature.F1",), Flattened: ("C.C1",), FirstOfB: ("float.C.F1",),
    IgnoresB: ("float.C.F1",), LeavesTheTail: ("float.C.F1",), RepeatsTheFirstPlane: ("float.C.F1",),
    ScalarsAsVectors: ("C.C1",), RefusesEmpty: ("refusal",)
})
