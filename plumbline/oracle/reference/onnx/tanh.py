"""Reference oracle of ONNX Tanh: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction, spare
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
    """Return the hyperbolic tangent, rounded to the type `dtype`."""
    if math.isnan(value) or value == 0:
        return value
    if math.isinf(value):
        return math.copysign(1.0, value)
    digits = context(spare(value))
    power = exponential(-2 * abs(value), spare(value))
    size = fraction(digits.divide(digits.subtract(1, power), digits.add(1, power)))
    return nearest(size if value > 0 else -size, dtype)
