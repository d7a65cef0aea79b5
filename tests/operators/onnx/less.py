"""ONNX Less: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators._comparisons import (
    BySubtraction,
    Comparison,
    GivesBytes,
    GivesTheTypeOfA,
    Greater,
    InSingle,
    IntsInSingle,
    LongsInDouble,
    Magnitudes,
    NanIsHighest,
    NanIsLowest,
    NegativeZeroIsBelow,
    NoSubnormals,
    NotGreaterOrEqual,
    OrEqual,
    TrueAtTheTail,
    UnsignedAsSigned,
)
from tests.operators._pairs import (
    FirstOfB,
    IgnoresB,
    IgnoresTheAxis,
    NoLeadingAxes,
    RefusesEmpty,
    RepeatsInsteadOfBroadcasting,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    ShapeOfA,
)
from tests.operators.contract import plant


class Less(Comparison):
    """`a < b`."""

    def compared(self, a, b):
        """As numbers; false of NaN."""
        return a < b


plant(globals(), Less, {
    NotGreaterOrEqual: (), NanIsLowest: (), NanIsHighest: (), IgnoresB: ("C.F1",), FirstOfB: ("C.F1",),
    OrEqual: ("C.F1",), Greater: ("C.F1",), BySubtraction: ("C.F1",), UnsignedAsSigned: ("C.F1",),
    InSingle: ("C.F1",), LongsInDouble: ("C.F1",), IntsInSingle: ("C.F1",), NoSubnormals: ("C.F1",),
    Magnitudes: ("C.F1",), NegativeZeroIsBelow: ("C.F1",), TrueAtTheTail: ("C.F1",), RepeatsTheFirstPlane: ("C.F1",),
    RepeatsInsteadOfBroadcasting: ("C.F1",), IgnoresTheAxis: ("C.F1",), ScalarsAsVectors: ("C.C2",),
    ShapeOfA: ("C.C2",), GivesBytes: ("C.F2",), GivesTheTypeOfA: ("C.F2",), RefusesEmpty: ("refusal",),
    NoLeadingAxes: ("refusal",)
})
