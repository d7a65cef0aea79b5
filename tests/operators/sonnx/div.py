"""SONNX Div: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._arithmetic import (
    AbsoluteInfinities,
    Arithmetic,
    FlushesSubnormals,
    HalfOfSingle,
    HoldsAtTheLargest,
    InDouble,
    NanForZeroDivisor,
    NoInfinities,
    NoSignOfZeroDivisor,
    OtherZeros,
    PositiveZeros,
    Reciprocal,
    RoundsDown,
    RoundsToNearest,
    RoundsTowardsZero,
    Saturates,
    ShortsInHalf,
    SwapsOperands,
    UnsignedAsSigned,
    ZeroForNan,
    divide,
)
from tests.operators._pairs import (
    DoubleInSingle,
    FirstOfB,
    IgnoresB,
    IntsAsSingles,
    LeavesTheTail,
    LongsAsDoubles,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    WidensHalf,
    WidensShortIntegers,
)
from tests.operators.contract import plant


class Div(Arithmetic):
    """`a / b`, in the type of both."""

    exact_of_objects = False

    def operation(self, a, b):
        """One element of each."""
        return divide(a, b)


plant(globals(), Div, {
    InDouble: (), Saturates: (), IgnoresB: ("float.C.F1",), FirstOfB: ("float.C.F1",),
    ReadsSubnormalsAsZero: ("float.C.F1",), FlushesSubnormals: ("float.C.F1",), DoubleInSingle: ("float.C.F1",),
    LongsAsDoubles: ("int.C.F1",), IntsAsSingles: ("int.C.F1",), HalfOfSingle: ("float.C.F1",),
    RoundsTowardsZero: ("float.C.F1",), LeavesTheTail: ("float.C.F1",), RepeatsTheFirstPlane: ("float.C.F1",),
    ZeroForNan: ("float.C.F3",), OtherZeros: ("float.C.F1",), PositiveZeros: ("float.C.F1",),
    NoInfinities: ("float.C.F2",), HoldsAtTheLargest: ("float.C.F1",), AbsoluteInfinities: ("float.C.F2",),
    ScalarsAsVectors: ("C.C1",), WidensShortIntegers: ("C.C2",), WidensHalf: ("C.C2",), RefusesEmpty: ("refusal",),
    SwapsOperands: ("float.C.F1",), Reciprocal: ("float.C.F1",), RoundsDown: ("int.C.F1",),
    RoundsToNearest: ("int.C.F1",), UnsignedAsSigned: ("int.C.F1",), ShortsInHalf: ("int.C.F1",),
    NoSignOfZeroDivisor: ("float.C.F2",), NanForZeroDivisor: ("float.C.F2",)
})
