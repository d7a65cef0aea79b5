"""ONNX Div: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._arithmetic import (
    AbsoluteInfinities,
    Arithmetic,
    BfloatAsHalf,
    FlushesSubnormals,
    HalfOfSingle,
    HoldsAtTheLargest,
    InDouble,
    NoInfinities,
    OtherZeros,
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
    IgnoresTheAxis,
    IntsAsSingles,
    LeavesTheTail,
    LongsAsDoubles,
    NoLeadingAxes,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsInsteadOfBroadcasting,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    ShapeOfA,
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
    InDouble: (), Saturates: (), HoldsAtTheLargest: (), ZeroForNan: (), OtherZeros: (), IgnoresB: ("C.F1",),
    FirstOfB: ("C.F1",), ReadsSubnormalsAsZero: ("C.F1",), FlushesSubnormals: ("C.F1",), DoubleInSingle: ("C.F1",),
    LongsAsDoubles: ("C.F1",), IntsAsSingles: ("C.F1",), HalfOfSingle: ("C.F1",), BfloatAsHalf: ("C.F1",),
    RoundsTowardsZero: ("C.F1",), LeavesTheTail: ("C.F1",), RepeatsTheFirstPlane: ("C.F1",),
    RepeatsInsteadOfBroadcasting: ("C.F1",), IgnoresTheAxis: ("C.F1",), NoInfinities: ("C.F3",),
    AbsoluteInfinities: ("C.F3",), ScalarsAsVectors: ("C.C2",), ShapeOfA: ("C.C2",), WidensShortIntegers: ("C.F2",),
    WidensHalf: ("C.F2",), RefusesEmpty: ("refusal",), NoLeadingAxes: ("refusal",), SwapsOperands: ("C.F1",),
    Reciprocal: ("C.F1",), RoundsDown: ("C.F1",), RoundsToNearest: ("C.F1",), UnsignedAsSigned: ("C.F1",),
    ShortsInHalf: ("C.F1",)
})
