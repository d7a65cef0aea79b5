"""SONNX Max: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._extrema import (
    ClampsInfinities,
    DoubleInSingle,
    Extremum,
    FirstAlone,
    FirstZero,
    FlushesSubnormals,
    GivesNothing,
    LastZero,
    LeavesTheTail,
    LongsAsDoubles,
    LowestForNan,
    NoLeadingAxes,
    OtherEnd,
    OtherZero,
    RefusesEmpty,
    RefusesOne,
    RepeatsInsteadOfBroadcasting,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    ShapeOfTheFirst,
    SkipsNan,
    SkipsTheLast,
    StartsAnewAfterNan,
    TwoAlone,
    UnsignedAsSigned,
    WidensHalf,
    WidensShortIntegers,
    ZeroForNan,
)
from tests.operators.contract import plant


class Max(Extremum):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "max"

    def further(self, a, b):
        """Whether b is larger."""
        return b > a

    def outer(self, a, b):
        """+0 lies above -0."""
        return np.signbit(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


plant(globals(), Max, {
    FirstZero: ("float.Y.F1",), LastZero: ("float.Y.F1",), OtherZero: ("float.Y.F1",), SkipsNan: ("float.Y.F2",),
    StartsAnewAfterNan: ("float.Y.F2",), ZeroForNan: ("float.Y.F2",), LowestForNan: ("float.Y.F2",),
    OtherEnd: ("Y.F1",), FirstAlone: ("Y.F1",), TwoAlone: ("Y.F1",), SkipsTheLast: ("Y.F1",),
    ClampsInfinities: ("Y.F1",), FlushesSubnormals: ("Y.F1",), DoubleInSingle: ("Y.F1",), LongsAsDoubles: ("Y.F1",),
    UnsignedAsSigned: ("Y.F1",), RepeatsInsteadOfBroadcasting: ("Y.F1",), LeavesTheTail: ("Y.F1",),
    RepeatsTheFirstPlane: ("Y.F1",), RefusesOne: ("refusal",), RefusesEmpty: ("refusal",),
    NoLeadingAxes: ("refusal",), ShapeOfTheFirst: ("Y.C1",), ScalarsAsVectors: ("Y.C1",),
    WidensShortIntegers: ("Y.F2",), WidensHalf: ("Y.F2",), GivesNothing: ("signature.F1",)
})
