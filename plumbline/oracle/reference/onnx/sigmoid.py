"""Reference oracle of ONNX Sigmoid: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
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
    if math.isnan(value):
        return value
    if math.isinf(value):
        return 1.0 if value > 0 else 0.0
    digits = context()
    return nearest(fraction(digits.divide(1, digits.add(1, exponential(-value)))), dtype)
