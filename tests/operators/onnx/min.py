"""ONNX Min: an implementation, and faults in it."""

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


class Min(Extremum):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "min"

    def further(self, a, b):
        """Whether b is smaller."""
        return b < a

    def outer(self, a, b):
        """+0 lies above -0."""
        return np.signbit(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


plant(globals(), Min, {
    LastZero: (), SkipsNan: (), StartsAnewAfterNan: (), OtherZero: (), ZeroForNan: ("min.F1",),
    LowestForNan: ("min.F1",), OtherEnd: ("min.F1",), FirstAlone: ("min.F1",), TwoAlone: ("min.F1",),
    SkipsTheLast: ("min.F1",), ClampsInfinities: ("min.F1",), FlushesSubnormals: ("min.F1",),
    DoubleInSingle: ("min.F1",), LongsAsDoubles: ("min.F1",), UnsignedAsSigned: ("min.F1",),
    RepeatsInsteadOfBroadcasting: ("min.F1",), LeavesTheTail: ("min.F1",), RepeatsTheFirstPlane: ("min.F1",),
    RefusesOne: ("refusal",), RefusesEmpty: ("refusal",), NoLeadingAxes: ("refusal",), ShapeOfTheFirst: ("min.C2",),
    ScalarsAsVectors: ("min.C2",), WidensShortIntegers: ("min.F2",), WidensHalf: ("min.F2",),
    GivesNothing: ("signature.F1",)
})
