"""Reference oracle of ONNX GlobalMaxPool: one plane after another."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from plumbline.oracle.call import Call


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator: maxima; NaN if one is NaN, -inf of empty planes."""
    x = call.inputs["X"]
    y = np.empty((*x.shape[:2], *[1] * (x.ndim - 2)), dtype=x.dtype)
    for batch, channel in product(*map(range, x.shape[:2])):
        largest = -math.inf
        for place in product(*map(range, x.shape[2:])):
            value = float(x[(batch, channel, *place)])
            if math.isnan(largest) or math.isnan(value):
                largest = math.nan
            elif value > largest:
                largest = value
        y[batch, channel] = largest
    return {"Y": y}
