"""Reference oracle of ONNX Exp: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import exponential, fraction
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    x = call.inputs["X"]
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        y[place] = _value(float(x[place]), x.dtype.name)
    return {"Y": y}


def _value(value: float, dtype: str) -> float:
    if math.isnan(value) or value == math.inf:
        return value
    return 0.0 if value == -math.inf else nearest(fraction(exponential(value)), dtype)
