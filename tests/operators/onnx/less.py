"""ONNX Less: an implementation."""

from __future__ import annotations

from tests.operators import _comparisons, _pairs
from tests.operators._comparisons import Comparison
from tests.operators.contract import plant


class Less(Comparison):
    """`a < b`."""

    def compared(self, a, b):
        """As numbers; false of NaN."""
        return a < b


plant(globals(), Less, (_comparisons, _pairs), "NotGreaterOrEqual NanIsLowest NanIsHighest")
