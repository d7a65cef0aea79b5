"""SONNX LeakyRelu: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators import _leaks, _unary
from tests.operators._leaks import Leak
from tests.operators.contract import plant


class LeakyRelu(Leak):
    """alpha in float32."""

    def leaks(self, x):
        """Below zero."""
        return np.less(x, 0)


plant(globals(), LeakyRelu, (_leaks, _unary), {
    "": "RoundsAlpha",
    "Y.F2":
        "IgnoresAlpha MagnitudeOfAlpha SubnormalAlphaIsZero AboveZero NoNegativeAlpha FiniteAlpha KeepsInfinity "
        "FiniteProducts HoldsAtTheLargest Maximum ProductTowardsZero DoubleInSingle HalfOfSingle LeavesTheTail",
    "Y.F3": "ZeroForNan LowestForNan",
    "Y.F1":
        "OtherZeros PositiveZeros Everywhere UpToZero UpToOne Sign Difference RepeatsTheFirstPlane "
        "ReadsSubnormalsAsZero ClampsInfinities",
    "Y.C1": "ScalarsAsVectors Flattened",
    "refusal": "RefusesEmpty",
    "signature.F1": "GivesNothing",
    "Y.F4": "WidensHalf NarrowsDouble"
})
