"""Reference oracle of SONNX Constant: C[i] = value[i], an element at a time."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of value, of a valid call."""
    value = call.attributes["value"]
    c = np.empty(value.shape, value.dtype)
    for i in places(value.shape):
        c[i] = value[i]
    return {"output": c}
