"""SONNX Sqrt: an implementation, and faults in it."""

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
    InfinityOfZero,
    LeavesTheTail,
    LowestForNan,
    NanOfInfinity,
    NanOfNegativeZero,
    NanOfSubnormals,
    NarrowsDouble,
    NegativeRoots,
    OneStepTooHigh,
    OtherZeros,
    OverflowsAtTheEnd,
    PositiveZeros,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    RootByReciprocal,
    RootOfTheMagnitude,
    ScalarsAsVectors,
    TowardsZero,
    WidensHalf,
    ZeroBelowZero,
    ZeroForNan,
)
from tests.operators.contract import plant


class Sqrt(Elements):
    """The root in the type of X."""

    def result(self, x):
        """The root, of bfloat16 by way of float32."""
        return np.sqrt(x.astype(np.float32)).astype(x.dtype) if x.dtype.name == "bfloat16" else np.sqrt(x)


plant(globals(), Sqrt, {
    ZeroForNan: ("Y.F3",), RootOfTheMagnitude: ("Y.F3",), ZeroBelowZero: ("Y.F3",), Identity: ("Y.F1",),
    LowestForNan: (), NegativeRoots: ("Y.F1",), InfinityOfZero: ("Y.F2",), NanOfNegativeZero: ("Y.F2",),
    NanOfInfinity: ("Y.F2",), ClampsInfinities: ("Y.F2",), OverflowsAtTheEnd: ("Y.F1",), NanOfSubnormals: ("Y.F1",),
    RootByReciprocal: ("Y.F2",), OtherZeros: ("Y.F2",), PositiveZeros: ("Y.F2",), LeavesTheTail: ("Y.F1",),
    RepeatsTheFirstPlane: ("Y.F1",), ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), WidensHalf: ("Y.C2",),
    NarrowsDouble: ("Y.C2",), RefusesEmpty: ("refusal",), GivesNothing: ("signature.F1",), DoubleInSingle: ("Y.F1",),
    HalfOfSingle: ("Y.F1",), ReadsSubnormalsAsZero: ("Y.F1",), OneStepTooHigh: ("Y.F1",), TowardsZero: ("Y.F1",)
})
