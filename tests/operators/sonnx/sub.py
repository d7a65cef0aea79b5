"""SONNX Sub: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic
from tests.operators.contract import plant


class Sub(Arithmetic):
    """`a - b`, in the type of both."""

    def operation(self, a, b):
        """One element of each."""
        return a - b


plant(globals(), Sub, (_arithmetic, _pairs), {
    "": "InDouble",
    "float.C.F1":
        "IgnoresB FirstOfB ReadsSubnormalsAsZero FlushesSubnormals DoubleInSingle HalfOfSingle RoundsTowardsZero "
        "LeavesTheTail RepeatsTheFirstPlane HoldsAtTheLargest SwapsOperands SumForDifference",
    "int.C.F1": "LongsAsDoubles IntsAsSingles Saturates",
    "float.C.F2": "ZeroForNan OtherZeros PositiveZeros NoInfinities AbsoluteInfinities",
    "C.C1": "ScalarsAsVectors",
    "C.C2": "WidensShortIntegers WidensHalf",
    "refusal": "RefusesEmpty"
})
