"""SONNX Less: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _comparisons, _pairs
from tests.operators._comparisons import Comparison
from tests.operators.contract import plant


class Less(Comparison):
    """`a < b`."""

    def compared(self, a, b):
        """As numbers; false of NaN."""
        return a < b


plant(globals(), Less, (_comparisons, _pairs), {
    "float.C.F1": "NotGreaterOrEqual NanIsLowest NanIsHighest",
    "C.F1":
        "IgnoresB FirstOfB OrEqual Greater BySubtraction UnsignedAsSigned InSingle LongsInDouble IntsInSingle "
        "NoSubnormals Magnitudes NegativeZeroIsBelow TrueAtTheTail RepeatsTheFirstPlane",
    "C.C1": "ScalarsAsVectors",
    "C.F2": "GivesBytes GivesTheTypeOfA",
    "refusal": "RefusesEmpty"
})
