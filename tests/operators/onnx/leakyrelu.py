"""ONNX LeakyRelu: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators._leaks import (
    AboveZero,
    AlphaInDouble,
    AnotherDefault,
    Difference,
    Everywhere,
    FiniteAlpha,
    FiniteProducts,
    HoldsAtTheLargest,
    IgnoresAlpha,
    KeepsInfinity,
    Leak,
    MagnitudeOfAlpha,
    Maximum,
    NoNegativeAlpha,
    ProductTowardsZero,
    RoundsAlpha,
    SubnormalAlphaIsZero,
    UpToOne,
)
from tests.operators._unary import (
    ClampsInfinities,
    DoubleInSingle,
    Flattened,
    GivesNothing,
    HalfOfSingle,
    LeavesTheTail,
    NarrowsDouble,
    OtherZeros,
    ReadsSubnormalsAsZero,
    RefusesEmpty,
    RepeatsTheFirstPlane,
    ScalarsAsVectors,
    WidensHalf,
    ZeroForNan,
)
from tests.operators.contract import plant


class LeakyRelu(Leak):
    """alpha in float32."""

    def leaks(self, x):
        """Below zero."""
        return np.less(x, 0)


plant(globals(), LeakyRelu, {
    RoundsAlpha: (), HoldsAtTheLargest: (), ZeroForNan: (), OtherZeros: (), IgnoresAlpha: ("Y.F2",),
    MagnitudeOfAlpha: ("Y.F2",), SubnormalAlphaIsZero: ("Y.F2",), AboveZero: ("Y.F2",), NoNegativeAlpha: ("Y.F2",),
    AnotherDefault: ("Y.F2",), AlphaInDouble: ("Y.F2",), FiniteAlpha: ("Y.F4",), KeepsInfinity: ("Y.F4",),
    FiniteProducts: ("Y.F4",), Maximum: ("Y.F2",), Everywhere: ("Y.F1",), UpToOne: ("Y.F1",), Difference: ("Y.F1",),
    ProductTowardsZero: ("Y.F2",), DoubleInSingle: ("Y.F2",), HalfOfSingle: ("Y.F2",), LeavesTheTail: ("Y.F2",),
    RepeatsTheFirstPlane: ("Y.F1",), ReadsSubnormalsAsZero: ("Y.F1",), ClampsInfinities: ("Y.F1",),
    ScalarsAsVectors: ("Y.C1",), Flattened: ("Y.C1",), RefusesEmpty: ("refusal",), GivesNothing: ("signature.F1",),
    WidensHalf: ("Y.F3",), NarrowsDouble: ("Y.F3",)
})
