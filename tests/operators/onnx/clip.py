"""ONNX Clip: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators import _intervals
from tests.operators._intervals import Interval
from tests.operators.contract import plant


class Clip(Interval):
    """The maximum prevails."""

    def finished(self, found):
        """As it was found."""
        return np.asarray(found)


plant(globals(), Clip, (_intervals,), {
    "": "ByDefaults ByMinAndMax NanSpreads NanStaysAlways",
    "output.F1":
        "NoMinimum NoMaximum ZeroForLow FlushesSubnormals DoubleInSingle LongsAsDoubles UnsignedAsSigned LeavesTheTail "
        "RepeatsTheFirstPlane Strict ZeroForNan OtherZeros PositiveZeros NanBoundIsZero",
    "output.F3": "MaximumFirst SwapsBounds",
    "output.F4": "DefaultsOfSixBits MinimumOfZero DefaultsOfSingle",
    "output.C1": "ScalarsAsVectors",
    "output.F2": "WidensHalf NarrowsDouble",
    "refusal": "RefusesEmpty RefusesWrongWayRound NeedsBoth",
    "signature.F1": "GivesNothing"
})
