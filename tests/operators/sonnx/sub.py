"""SONNX Sub: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._arithmetic import (
    AbsoluteInfinities,
    Arithmetic,
    FlushesSubnormals,
    HalfOfSingle,
    HoldsAtTheLargest,
    InDouble,
    NoInfinities,
    OtherZeros,
    PositiveZeros,
    RoundsTowardsZero,
    Saturates,
    SumForDifference,
    SwapsOperands,
    ZeroForNan,
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


class Sub(Arithmetic):
    """`a - b`, in the type of both."""

    def operation(self, a, b):
        """One element of each."""
        return a - b


plant(globals(), Sub, {
    InDouble: (), IgnoresB: ("float.C.F1",), FirstOfB: ("float.C.F1",), ReadsSubnormalsAsZero: ("float.C.F1",),
    FlushesSubnormals: ("float.C.F1",), DoubleInSingle: ("float.C.F1",), LongsAsDoubles: ("int.C.F1",),
    IntsAsSingles: ("int.C.F1",), HalfOfSingle: ("float.C.F1",), RoundsTowardsZero: ("float.C.F1",),
    LeavesTheTail: ("float.C.F1",), RepeatsTheFirstPlane: ("float.C.F1",), Saturates: ("int.C.F1",),
    ZeroForNan: ("float.C.F2",), OtherZeros: ("float.C.F2",), PositiveZeros: ("float.C.F2",),
    NoInfinities: ("float.C.F2",), HoldsAtTheLargest: ("float.C.F1",), AbsoluteInfinities: ("float.C.F2",),
    ScalarsAsVectors: ("C.C1",), WidensShortIntegers: ("C.C2",), WidensHalf: ("C.C2",), RefusesEmpty: ("refusal",),
    SwapsOperands: ("float.C.F1",), SumForDifference: ("float.C.F1",)
})
