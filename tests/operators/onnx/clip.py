"""ONNX Clip: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._intervals import (
    ByDefaults,
    ByMinAndMax,
    DefaultsOfSingle,
    DefaultsOfSixBits,
    DoubleInSingle,
    FlushesSubnormals,
    GivesNothing,
    Interval,
    LeavesTheTail,
    LongsAsDoubles,
    MaximumFirst,
    MinimumOfZero,
    NanBoundIsZero,
    NanSpreads,
    NanStaysAlways,
    NarrowsDouble,
    NeedsBoth,
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
)
from tests.operators.contract import plant


class Clip(Interval):
    """The maximum prevails."""

    def finished(self, found):
        """As it was found."""
        return np.asarray(found)


plant(globals(), Clip, {
    ByDefaults: (), ByMinAndMax: (), NanSpreads: (), NanStaysAlways: (), NoMinimum: ("output.F1",),
    NoMaximum: ("output.F1",), ZeroForLow: ("output.F1",), FlushesSubnormals: ("output.F1",),
    DoubleInSingle: ("output.F1",), LongsAsDoubles: ("output.F1",), UnsignedAsSigned: ("output.F1",),
    LeavesTheTail: ("output.F1",), RepeatsTheFirstPlane: ("output.F1",), Strict: ("output.F1",),
    MaximumFirst: ("output.F3",), SwapsBounds: ("output.F3",), DefaultsOfSixBits: ("output.F4",),
    MinimumOfZero: ("output.F4",), DefaultsOfSingle: ("output.F4",), ZeroForNan: ("output.F1",),
    OtherZeros: ("output.F1",), PositiveZeros: ("output.F1",), NanBoundIsZero: ("output.F1",),
    ScalarsAsVectors: ("output.C1",), WidensHalf: ("output.F2",), NarrowsDouble: ("output.F2",),
    RefusesEmpty: ("refusal",), RefusesWrongWayRound: ("refusal",), NeedsBoth: ("refusal",),
    GivesNothing: ("signature.F1",)
})
