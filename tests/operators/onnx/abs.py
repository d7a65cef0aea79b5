"""ONNX Abs: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._unary import (
    ClampsInfinities,
    DoubleInSingle,
    Elements,
    Flattened,
    GivesNothing,
    HalfOfSingle,
    Identity,
    LeavesTheTail,
    LongsAsDoubles,
    NarrowsDouble,
    NegatesNegativeZeroOnly,
    NegativeZeros,
    OnesComplement,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    Saturates,
    ScalarsAsVectors,
    UnsignedAsSigned,
    WidensHalf,
    WidensShortIntegers,
    ZeroForNan,
)
from tests.operators.contract import plant


class Abs(Elements):
    """The element without its sign."""

    def result(self, x):
        """Without the sign."""
        return np.abs(x)


plant(globals(), Abs, {
    Saturates: (), ZeroForNan: (), NegatesNegativeZeroOnly: (), NegativeZeros: (), ReadsSubnormalsAsZero: ("Y.F1",),
    DoubleInSingle: ("Y.F1",), HalfOfSingle: ("Y.F1",), LeavesTheTail: ("Y.F1",), RepeatsTheFirstPlane: ("Y.F1",),
    Identity: ("Y.F1",), LongsAsDoubles: ("Y.F1",), UnsignedAsSigned: ("Y.F1",), OnesComplement: ("Y.F1",),
    ClampsInfinities: ("Y.F1",), ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), WidensHalf: ("Y.F2",),
    NarrowsDouble: ("Y.F2",), WidensShortIntegers: ("Y.F2",), RefusesEmpty: ("refusal",),
    GivesNothing: ("signature.F1",)
})
