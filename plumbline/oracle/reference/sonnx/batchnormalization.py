"""Reference oracle of SONNX BatchNormalization: an element at a time in exact fractions.

What is left open (infinities) is NaN, as is what a NaN gives.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import root


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, of the shape and type of X, of a valid call."""
    x = call.inputs["X"]
    epsilon = float(np.float32(call.attributes.get("epsilon", 1e-5)))
    y = np.empty(x.shape, x.dtype)
    for place in places(x.shape):
        channel = place[1] if x.ndim > 1 else 0
        numbers = [float(x[place]), epsilon]
        for name in ("scale", "B", "input_mean", "input_var"):
            numbers.append(float(call.inputs[name][channel]))
        if all(map(math.isfinite, numbers)):
            element, added, scale, bias, mean, variance = map(Fraction, numbers)
            y[place] = nearest(scale * (element - mean) / root(variance + added) + bias, x.dtype.name)
        else:
            y[place] = math.nan
    return {"Y": y}
