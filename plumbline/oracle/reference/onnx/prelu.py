"""Reference oracle of ONNX PRelu: the exact product of two elements at a time.

Where the text leaves a choice this gives what IEEE 754 and arithmetic modulo 2**n give.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import product
from plumbline.oracle.reference._places import cell, places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    x, slope = call.inputs["X"], call.inputs["slope"]
    by_channel = version < 7 and x.ndim > 1 and slope.shape == x.shape[1:2]
    y = x.copy()
    for place in places(x.shape):
        if x[place].item() < 0 and slope.size:
            at = (place[1],) if by_channel else cell(slope.shape, place) if version >= 7 else (0,) * slope.ndim
            y[place] = product(x[place].item(), slope[at].item(), x.dtype.name)
    return {"Y": y}
