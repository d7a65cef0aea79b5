"""Reference oracle of SONNX Clip: the cases of the draft, one element after another."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call."""
    x, low, high = call.inputs["input"], call.inputs["min"].item(), call.inputs["max"].item()
    if isinstance(low, float) and math.isnan(low):
        low = -math.inf
    if isinstance(high, float) and math.isnan(high):
        high = math.inf
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        value = x[place].item()
        if low <= high:
            y[place] = low if value < low else high if value > high else value
        else:
            y[place] = high
    return {"output": y}
