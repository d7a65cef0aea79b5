"""ONNX Max: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._extrema import (
    ClampsInfinities,
    DoubleInSingle,
    Extremum,
    FirstAlone,
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
    LastZero: (), SkipsNan: (), StartsAnewAfterNan: (), OtherZero: (), ZeroForNan: ("max.F1",),
    LowestForNan: ("max.F1",), OtherEnd: ("max.F1",), FirstAlone: ("max.F1",), TwoAlone: ("max.F1",),
    SkipsTheLast: ("max.F1",), ClampsInfinities: ("max.F1",), FlushesSubnormals: ("max.F1",),
    DoubleInSingle: ("max.F1",), LongsAsDoubles: ("max.F1",), UnsignedAsSigned: ("max.F1",),
    RepeatsInsteadOfBroadcasting: ("max.F1",), LeavesTheTail: ("max.F1",), RepeatsTheFirstPlane: ("max.F1",),
    RefusesOne: ("refusal",), RefusesEmpty: ("refusal",), NoLeadingAxes: ("refusal",), ShapeOfTheFirst: ("max.C2",),
    ScalarsAsVectors: ("max.C2",), WidensShortIntegers: ("max.F2",), WidensHalf: ("max.F2",),
    GivesNothing: ("signature.F1",)
})
