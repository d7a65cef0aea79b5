"""Reference oracle of SONNX Where: one element copied after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, in the element type of X, of a valid call."""
    condition, x, y = (call.inputs[name] for name in ("condition", "X", "Y"))
    z = np.empty(condition.shape, dtype=x.dtype)
    for place in places(condition.shape):
        z[place] = x[place] if condition[place] else y[place]
    return {"output": z}
