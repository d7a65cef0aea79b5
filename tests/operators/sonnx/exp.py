"""SONNX Exp: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _exponentials
from tests.operators._exponentials import (
    ByPowersOfTwo,
    FlushesSubnormals,
    InBfloat16,
    LargestForOverflow,
    LessOne,
    NanForMinusInfinity,
    NanForOverflow,
    NegatesSmallResults,
    NotExactAtZero,
    OfTheMagnitude,
    OfTheNegative,
    OfTwice,
    PowersOfTen,
    PowersOfTwo,
    StopsAtTen,
    ZeroBelow,
)
from tests.operators._unary import (
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
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    WidensHalf,
    ZeroForNan,
)
from tests.operators.contract import plant


class Exp(_exponentials.Exp):
    """By numpy."""


plant(globals(), Exp, {
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), RefusesEmpty: ("refusal",), WidensHalf: ("Y.C2",),
    NarrowsDouble: ("Y.C2",), GivesNothing: ("signature.F1",), LeavesTheTail: ("Y.F1", "Y.F4"),
    RepeatsTheFirstPlane: ("Y.F1",), OtherZeros: (), HalfOfSingle: (), ZeroForNan: ("Y.F2",), FlushesSubnormals: (),
    ByPowersOfTwo: (), OneStepTooHigh: (), InBfloat16: (), LargestForOverflow: ("Y.F3",), PowersOfTwo: ("Y.F1",),
    PowersOfTen: ("Y.F1",), LessOne: ("Y.F1", "Y.F3", "Y.F4"), OfTheMagnitude: ("Y.F1", "Y.F3"),
    OfTheNegative: ("Y.F3",), OfTwice: ("Y.F1",), NanForOverflow: ("Y.F3",), StopsAtTen: ("Y.F1",),
    ZeroBelow: ("Y.F1",), NotExactAtZero: ("Y.F3",), NanForMinusInfinity: ("Y.F3",), NegatesSmallResults: ("Y.F4",),
    NanOfInfinity: ("Y.F3",), Identity: ("Y.F1", "Y.F4"), DoubleInSingle: ("Y.F1",)
})
