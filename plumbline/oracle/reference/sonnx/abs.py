"""Reference oracle of SONNX Abs: the cases of the draft, one element after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    x = call.inputs["X"]
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        value = x[place].item()
        if value == 0:
            y[place] = 0
        elif value < 0:
            y[place] = -value
        else:
            y[place] = value
    return {"Y": y}
