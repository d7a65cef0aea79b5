"""SONNX Div: an implementation, and faults in it."""

from __future__ import annotations

from tests.operators import _arithmetic, _pairs
from tests.operators._arithmetic import Arithmetic, divide
from tests.operators.contract import plant


class Div(Arithmetic):
    """`a / b`, in the type of both."""

    exact_of_objects = False

    def operation(self, a, b):
        """One element of each."""
        return divide(a, b)


plant(globals(), Div, (_arithmetic, _pairs), {
    "": "InDouble Saturates",
    "float.C.F1":
        "IgnoresB FirstOfB ReadsSubnormalsAsZero FlushesSubnormals DoubleInSingle HalfOfSingle RoundsTowardsZero "
        "LeavesTheTail RepeatsTheFirstPlane OtherZeros PositiveZeros HoldsAtTheLargest SwapsOperands Reciprocal",
    "int.C.F1": "LongsAsDoubles IntsAsSingles RoundsDown RoundsToNearest UnsignedAsSigned ShortsInHalf",
    "float.C.F3": "ZeroForNan",
    "float.C.F2": "NoInfinities AbsoluteInfinities NoSignOfZeroDivisor NanForZeroDivisor",
    "C.C1": "ScalarsAsVectors",
    "C.C2": "WidensShortIntegers WidensHalf",
    "refusal": "RefusesEmpty"
})
