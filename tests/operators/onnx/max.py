"""ONNX Max: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators import _extrema
from tests.operators._extrema import Extremum
from tests.operators.contract import plant


class Max(Extremum):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "max"

    def further(self, a, b):
        """Whether b is larger."""
        return b > a

    def outer(self, a, b):
        """+0 lies above -0."""
        return np.signbit(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


plant(globals(), Max, (_extrema,), {
    "": "LastZero SkipsNan StartsAnewAfterNan OtherZero",
    "max.F1":
        "ZeroForNan LowestForNan OtherEnd FirstAlone TwoAlone SkipsTheLast ClampsInfinities FlushesSubnormals "
        "DoubleInSingle LongsAsDoubles UnsignedAsSigned RepeatsInsteadOfBroadcasting LeavesTheTail "
        "RepeatsTheFirstPlane",
    "refusal": "RefusesOne RefusesEmpty NoLeadingAxes",
    "max.C2": "ShapeOfTheFirst ScalarsAsVectors",
    "max.F2": "WidensShortIntegers WidensHalf",
    "signature.F1": "GivesNothing"
})
