"""ONNX Sqrt: an implementation, and faults in it."""

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
    NanOfInfinity,
    NanOfNegativeZero,
    NanOfSubnormals,
    NarrowsDouble,
    NegativeRoots,
    OneStepTooHigh,
    OtherZeros,
    OverflowsAtTheEnd,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    RootByReciprocal,
    RootOfTheMagnitude,
    ScalarsAsVectors,
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
    OtherZeros: (), ZeroForNan: ("Y.F4",), RootOfTheMagnitude: ("Y.F4",), ZeroBelowZero: ("Y.F4",),
    Identity: ("Y.F4",), NegativeRoots: ("Y.F1",), InfinityOfZero: ("Y.F3",), NanOfNegativeZero: ("Y.F3",),
    NanOfInfinity: ("Y.F3",), ClampsInfinities: ("Y.F3",), OverflowsAtTheEnd: ("Y.F1",), NanOfSubnormals: ("Y.F1",),
    RootByReciprocal: ("Y.F3",), LeavesTheTail: ("Y.F1",), RepeatsTheFirstPlane: ("Y.F4",),
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), WidensHalf: ("Y.F2",), NarrowsDouble: ("Y.F2",),
    RefusesEmpty: ("refusal",), GivesNothing: ("signature.F1",), DoubleInSingle: ("Y.F1",), HalfOfSingle: (),
    ReadsSubnormalsAsZero: ("Y.F4",), OneStepTooHigh: ()
})
