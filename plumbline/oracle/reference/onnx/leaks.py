"""Reference oracles of ONNX LeakyRelu and PRelu: the exact product of two elements at a time.

Where the texts leave a choice this gives what IEEE 754 and arithmetic modulo 2**n give, for alpha itself.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import product
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._places import cell, places
from plumbline.oracle.reference._rounding import nearest


def leakyrelu(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return x, or alpha times x below zero."""
    alpha = np.float32(call.attributes.get("alpha", 0.01)).item()
    return mapped(call, lambda x: _element(x, alpha, call.inputs["X"].dtype.name))


def prelu(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return x, or its product with slope below zero."""
    x, slope = call.inputs["X"], call.inputs["slope"]
    by_channel = version < 7 and x.ndim > 1 and slope.shape == x.shape[1:2]
    y = x.copy()
    for place in places(x.shape):
        if x[place].item() < 0 and slope.size:
            at = (place[1],) if by_channel else cell(slope.shape, place) if version >= 7 else (0,) * slope.ndim
            y[place] = product(x[place].item(), slope[at].item(), x.dtype.name)
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
