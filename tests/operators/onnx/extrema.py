"""ONNX Max and Min: implementations, the plain one first."""

from __future__ import annotations

import numpy as np

from tests.operators import _extrema
from tests.operators._extrema import Extremum
from tests.operators.contract import variants

ALLOWED = "LastZero SkipsNan StartsAnewAfterNan OtherZero"


class Max(Extremum):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "max"

    def further(self, a, b):
        """Return the mask of elements of b that are larger."""
        return b > a

    def outer(self, a, b):
        """+0 lies above -0."""
        return np.signbit(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)


class Min(Max):
    """Of zeros the one that lies further out; NaN where there is one."""

    output = "min"

    def further(self, a, b):
        """Return the mask of elements of b that are smaller."""
        return b < a

    def outer(self, a, b):
        """+0 lies above -0."""
        return super().outer(b, a)


OPERATORS = {kind.__name__.lower(): variants(kind, (_extrema,), ALLOWED) for kind in (Max, Min)}
