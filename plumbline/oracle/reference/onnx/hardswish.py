"""Reference oracle of ONNX HardSwish: exact, with a sixth for alpha, rounded once. NaN of NaN and of -infinity."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    def value(x: float) -> float:
        if not math.isfinite(x):
            return x if x > 0 else math.nan
        line = Fraction(x) / 6 + Fraction(1, 2)
        return nearest(Fraction(x) * max(Fraction(0), min(Fraction(1), line)), call.inputs["X"].dtype.name)
    return mapped(call, value)
