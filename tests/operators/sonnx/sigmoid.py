"""SONNX Sigmoid: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials
from tests.operators._exponentials import (
    ByHyperbolicTangent,
    ByOneFormula,
    CutOff,
    FlushesSubnormals,
    GivesTanh,
    HardSigmoid,
    InBfloat16,
    LessOne,
    NanForMinusInfinity,
    NegatesSmallResults,
    NotExactAtZero,
    OfHalf,
    OfTheMagnitude,
    OfTheNegative,
    OfTwice,
    QuotientOfPowers,
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


class Sigmoid(_exponentials.Sigmoid):
    """With powers of negative numbers alone."""


plant(globals(), Sigmoid, {
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), RefusesEmpty: ("refusal",), WidensHalf: ("Y.C2",),
    NarrowsDouble: ("Y.C2",), GivesNothing: ("signature.F1",), LeavesTheTail: ("Y.F1", "Y.F4"),
    RepeatsTheFirstPlane: ("Y.F1",), OtherZeros: (), HalfOfSingle: (), ZeroForNan: ("Y.F2",), ByOneFormula: (),
    ByHyperbolicTangent: (), CutOff: (), FlushesSubnormals: (), InBfloat16: (), ReadsSubnormalsAsZero: (),
    ClampsInfinities: (), DoubleInSingle: (), HardSigmoid: ("Y.F1",), QuotientOfPowers: ("Y.F3", "Y.F4"),
    GivesTanh: ("Y.F3",), OfTheMagnitude: ("Y.F1",), OfTheNegative: ("Y.F1",), OfTwice: ("Y.F1",), OfHalf: ("Y.F1",),
    OneStepTooHigh: ("Y.F4",), NotExactAtZero: ("Y.F3",), NanForMinusInfinity: ("Y.F3",), NanOfInfinity: ("Y.F3",),
    NegatesSmallResults: ("Y.F4",), ZeroBelow: ("Y.F1",), Identity: ("Y.F3",), LessOne: ("Y.F3", "Y.F4")
})
