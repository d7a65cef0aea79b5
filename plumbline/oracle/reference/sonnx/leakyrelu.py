"""Reference oracle of SONNX LeakyRelu: the cases of the draft, with alpha itself, which is a float32."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    x, alpha = call.inputs["X"], np.float32(call.attributes["alpha"]).item()
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        y[place] = _element(x[place].item(), alpha, x.dtype.name)
    return {"Y": y}


def _element(x: float, alpha: float, dtype: str) -> float:
    """Return x, or alpha * x below zero, rounded to the type `dtype`."""
    if not x < 0:
        return x
    if math.isnan(alpha) or (math.isinf(x) and alpha == 0):
        return math.nan
    negative = math.copysign(1, alpha) > 0
    if math.isinf(x) or math.isinf(alpha):
        return -math.inf if negative else math.inf
    return nearest(Fraction(x) * Fraction(alpha), dtype, negative_zero=negative)
