"""SONNX Where: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._selection import (
    AddsZero,
    AlwaysX,
    AlwaysY,
    ByArithmetic,
    ClampsInfinities,
    DoubleInSingle,
    FirstCondition,
    FlushesSubnormals,
    GivesNothing,
    LeavesTheTail,
    LongsAsDoubles,
    OtherNan,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    Selection,
    ShortsAsBytes,
    TheOther,
    WidensHalf,
    WidensShortIntegers,
    ZeroForNan,
)
from tests.operators.contract import plant


class Where(Selection):
    """One of two elements."""

    def chosen(self, condition, x, y):
        """X where the condition is true."""
        return np.where(condition, x, y)


plant(globals(), Where, {
    OtherNan: (), TheOther: ("Z.F1",), AlwaysX: ("Z.F1",), AlwaysY: ("Z.F1",), FirstCondition: ("Z.F1",),
    ByArithmetic: ("Z.F1",), AddsZero: ("Z.F1",), ZeroForNan: ("Z.F1",), ClampsInfinities: ("Z.F1",),
    FlushesSubnormals: ("Z.F1",), DoubleInSingle: ("Z.F1",), LongsAsDoubles: ("Z.F1",), ShortsAsBytes: ("Z.F1",),
    LeavesTheTail: ("Z.F1",), RepeatsTheFirstPlane: ("Z.F1",), ScalarsAsVectors: ("Z.C1",), WidensHalf: ("Z.C2",),
    WidensShortIntegers: ("Z.C2",), RefusesEmpty: ("refusal",), GivesNothing: ("signature.F1",)
})
