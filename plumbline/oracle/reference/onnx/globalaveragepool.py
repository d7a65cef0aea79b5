"""Reference oracle of ONNX GlobalAveragePool: exact fractions, rounded once."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, rounded, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X) of a valid call in a version of the operator: means; NaN of empty planes."""
    x = call.inputs["X"]
    y = np.empty((*x.shape[:2], *[1] * (x.ndim - 2)), dtype=x.dtype)
    count = math.prod(x.shape[2:])
    for batch, channel in product(*map(range, x.shape[:2])):
        plane = total(number(x[(batch, channel, *place)]) for place in product(*map(range, x.shape[2:])))
        y[batch, channel] = rounded(plane / count if count else math.nan, x.dtype)
    return {"Y": y}
