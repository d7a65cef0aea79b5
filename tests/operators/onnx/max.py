"""ONNX Max: an implementation."""

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


plant(globals(), Max, (_extrema,), "LastZero SkipsNan StartsAnewAfterNan OtherZero")
