"""SONNX Tanh: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials
from tests.operators._exponentials import (
    ByLogistic,
    ByNegativePowers,
    CutOff,
    FlushesSubnormals,
    GivesSigmoid,
    HardTanh,
    InBfloat16,
    LinearNearZero,
    NanForMinusInfinity,
    NegatesSmallResults,
    NotExactAtZero,
    OfHalf,
    OfTheMagnitude,
    OfTheNegative,
    OfTwice,
    QuotientOfDifferences,
    Softsign,
    ZeroBelow,
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


class Tanh(_exponentials.Tanh):
    """By numpy."""


plant(globals(), Tanh, {
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), RefusesEmpty: ("refusal",), WidensHalf: ("Y.C2",),
    NarrowsDouble: ("Y.C2",), GivesNothing: ("signature.F1",), LeavesTheTail: ("Y.F1", "Y.F4"),
    RepeatsTheFirstPlane: ("Y.F1",), OtherZeros: (), HalfOfSingle: (), ZeroForNan: ("Y.F2",), ByNegativePowers: (),
    ByLogistic: (), CutOff: (), FlushesSubnormals: (), InBfloat16: (), ReadsSubnormalsAsZero: (), ClampsInfinities: (),
    DoubleInSingle: (), HardTanh: ("Y.F1",), QuotientOfDifferences: ("Y.F3", "Y.F4"), GivesSigmoid: ("Y.F3",),
    OfTheMagnitude: ("Y.F4",), OfTheNegative: ("Y.F4",), OfTwice: ("Y.F1",), OfHalf: ("Y.F1",),
    OneStepTooHigh: ("Y.F4",), NotExactAtZero: ("Y.F3",), NanForMinusInfinity: ("Y.F3",), NanOfInfinity: ("Y.F3",),
    NegatesSmallResults: ("Y.F4",), ZeroBelow: ("Y.F1",), Identity: ("Y.F3",), Softsign: ("Y.F1",),
    LinearNearZero: ("Y.F1",)
})
