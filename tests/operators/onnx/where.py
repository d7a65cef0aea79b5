"""ONNX Where: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators import _selection
from tests.operators._selection import Selection
from tests.operators.contract import plant


class Where(Selection):
    """One of two elements."""

    def chosen(self, condition, x, y):
        """X where the condition is true."""
        return np.where(condition, x, y)


plant(globals(), Where, (_selection,), {
    "": "OtherNan",
    "output.F1":
        "TheOther AlwaysX AlwaysY FirstCondition ByArithmetic AddsZero ZeroForNan ClampsInfinities FlushesSubnormals "
        "DoubleInSingle LongsAsDoubles ShortsAsBytes LeavesTheTail RepeatsTheFirstPlane RepeatsTheCondition "
        "ConjugatesComplex RealPartAlone",
    "output.C1": "ShapeOfX ScalarsAsVectors",
    "output.F2": "WidensHalf WidensShortIntegers",
    "refusal": "NoBroadcasting RefusesEmpty",
    "signature.F1": "GivesNothing"
})
