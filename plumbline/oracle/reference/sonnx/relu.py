"""Reference oracle of SONNX Relu: the cases of the draft, one element after another; below zero the zero is +0."""

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
        y[place] = 0 if value < 0 else value
    return {"Y": y}
