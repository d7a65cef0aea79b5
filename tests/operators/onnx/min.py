"""ONNX Min: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _extrema
from tests.operators._extrema import Extremum
from tests.operators.contract import plant


class Min(Extremum):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "min"

    def further(self, a, b):
        """Whether b is smaller."""
        return b < a

    def outer(self, a, b):
        """+0 lies above -0."""
        return np.signbit(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


plant(globals(), Min, (_extrema,), "LastZero SkipsNan StartsAnewAfterNan OtherZero")
