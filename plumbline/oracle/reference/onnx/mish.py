"""Reference oracle of ONNX Mish: x and the hyperbolic tangent of the logarithm, as one fraction, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._exponentials import exponential, fraction
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return output Y of a valid call; every `version` computes the same."""
    def value(x: float) -> float:
        if not math.isfinite(x):
            return x if x > 0 else math.nan
        power = fraction(exponential(x))
        squares = power * (power + 2)  # tanh(ln(1 + p)) is ((1 + p)**2 - 1) / ((1 + p)**2 + 1)
        return nearest(Fraction(x) * squares / (squares + 2), call.inputs["X"].dtype.name)
    return mapped(call, value)
