"""ONNX Where: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._selection import (
    AddsZero,
    AlwaysX,
    AlwaysY,
    ByArithmetic,
    ClampsInfinities,
    ConjugatesComplex,
    DoubleInSingle,
    FirstCondition,
    FlushesSubnormals,
    GivesNothing,
    LeavesTheTail,
    LongsAsDoubles,
    NoBroadcasting,
    OtherNan,
    RealPartAlone,
    RefusesEmpty,
    RepeatsTheCondition,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    Selection,
    ShapeOfX,
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
    OtherNan: (), TheOther: ("output.F1",), AlwaysX: ("output.F1",), AlwaysY: ("output.F1",),
    FirstCondition: ("output.F1",), ByArithmetic: ("output.F1",), AddsZero: ("output.F1",),
    ZeroForNan: ("output.F1",), ClampsInfinities: ("output.F1",), FlushesSubnormals: ("output.F1",),
    DoubleInSingle: ("output.F1",), LongsAsDoubles: ("output.F1",), ShortsAsBytes: ("output.F1",),
    LeavesTheTail: ("output.F1",), RepeatsTheFirstPlane: ("output.F1",), RepeatsTheCondition: ("output.F1",),
    ConjugatesComplex: ("output.F1",), RealPartAlone: ("output.F1",), ShapeOfX: ("output.C1",),
    ScalarsAsVectors: ("output.C1",), WidensHalf: ("output.F2",), WidensShortIntegers: ("output.F2",),
    NoBroadcasting: ("refusal",), RefusesEmpty: ("refusal",), GivesNothing: ("signature.F1",)
})
