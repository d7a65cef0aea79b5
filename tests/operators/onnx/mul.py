"""ONNX Mul: an implementation, and faults in it."""

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
    RoundsTowardsZero,
    Saturates,
    UpperHalf,
    ZeroForNan,
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


class Mul(Arithmetic):
    """`a * b`, in the type of both."""

    def operation(self, a, b):
        """One element of each."""
        return a * b


plant(globals(), Mul, {
    InDouble: (), Saturates: (), HoldsAtTheLargest: (), ZeroForNan: (), OtherZeros: (), IgnoresB: ("C.F1",),
    FirstOfB: ("C.F1",), ReadsSubnormalsAsZero: ("C.F1",), FlushesSubnormals: ("C.F1",), DoubleInSingle: ("C.F1",),
    LongsAsDoubles: ("C.F1",), IntsAsSingles: ("C.F1",), HalfOfSingle: ("C.F1",), BfloatAsHalf: ("C.F1",),
    RoundsTowardsZero: ("C.F1",), LeavesTheTail: ("C.F1",), RepeatsTheFirstPlane: ("C.F1",),
    RepeatsInsteadOfBroadcasting: ("C.F1",), IgnoresTheAxis: ("C.F1",), NoInfinities: ("C.F3",),
    AbsoluteInfinities: ("C.F3",), ScalarsAsVectors: ("C.C2",), ShapeOfA: ("C.C2",), WidensShortIntegers: ("C.F2",),
    WidensHalf: ("C.F2",), RefusesEmpty: ("refusal",), NoLeadingAxes: ("refusal",), UpperHalf: ("C.F1",)
})
