"""SONNX Clip: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._intervals import (
    ByDefaults,
    ByMinAndMax,
    DoubleInSingle,
    FlushesSubnormals,
    GivesNothing,
    Interval,
    LeavesTheTail,
    LongsAsDoubles,
    LowForNan,
    MaximumFirst,
    NanBoundIsZero,
    NanSpreads,
    NanStaysAlways,
    NarrowsDouble,
    NoMaximum,
    NoMinimum,
    OtherZeros,
    PositiveZeros,
    RefusesEmpty,
    RefusesWrongWayRound,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    Strict,
    SwapsBounds,
    UnsignedAsSigned,
    WidensHalf,
    ZeroForLow,
    ZeroForNan,
    ZerosOfTheBounds,
)
from tests.operators.contract import plant


class Clip(Interval):
    """By cases."""

    def limited(self, x, low, high):
        """The maximum, even for NaN, where the bounds are the wrong way round; a bound that is NaN does nothing."""
        return np.full_like(x, high) if low > high else super().limited(x, low, high)


plant(globals(), Clip, {
    ByDefaults: (), NoMinimum: ("Y.F1",), NoMaximum: ("Y.F1",), ZeroForLow: ("Y.F1",), FlushesSubnormals: ("Y.F1",),
    DoubleInSingle: ("Y.F1",), LongsAsDoubles: ("Y.F1",), UnsignedAsSigned: ("Y.F1",), LeavesTheTail: ("Y.F1",),
    RepeatsTheFirstPlane: ("Y.F1",), Strict: ("Y.F1",), MaximumFirst: ("Y.F2",), SwapsBounds: ("Y.F2",),
    NanStaysAlways: ("Y.F2",), ZeroForNan: ("float.Y.F1",), LowForNan: ("float.Y.F1",), ByMinAndMax: ("float.Y.F1",),
    NanSpreads: ("float.Y.F2",), NanBoundIsZero: ("float.Y.F2",), OtherZeros: ("Y.F1",), PositiveZeros: ("Y.F1",),
    ZerosOfTheBounds: ("Y.F1",), ScalarsAsVectors: ("Y.C1",), WidensHalf: ("Y.C2",), NarrowsDouble: ("Y.C2",),
    RefusesEmpty: ("refusal",), RefusesWrongWayRound: ("refusal",), GivesNothing: ("signature.F1",)
})
