"""ONNX Less: implementations, the plain one first."""

from __future__ import annotations

from tests.operators import _comparisons, _pairs
from tests.operators._comparisons import Comparison
from tests.operators.contract import variants


class Less(Comparison):
    """`a < b`."""

    def compared(self, a, b):
        """As numbers; false of NaN."""
        return a < b


OPERATORS = {"less": variants(Less, (_comparisons, _pairs), "NotGreaterOrEqual NanIsLowest NanIsHighest")}
