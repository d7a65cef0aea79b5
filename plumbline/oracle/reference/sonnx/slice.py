"""Reference oracle of SONNX Slice: the formulas of the shape and of the index, entry by entry."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call."""
    x = call.inputs["data"]
    s, e, a, k = ([int(entry) for entry in call.inputs[name]] for name in ("starts", "ends", "axes", "steps"))
    shape, entry_of = [0] * x.ndim, [0] * x.ndim
    for entry, axis in enumerate(a):
        axis = axis + x.ndim if axis < 0 else axis
        entry_of[axis] = entry
        s[entry] = s[entry] + x.shape[axis] if s[entry] < 0 else s[entry]
        e[entry] = e[entry] + x.shape[axis] if e[entry] < 0 else e[entry]
        quotient, remainder = divmod(e[entry] - s[entry], k[entry])
        shape[axis] = quotient + (1 if remainder else 0)
    y = np.empty(shape, dtype=x.dtype)
    for place in places(shape):
        y[place] = x[tuple(s[entry_of[axis]] + at * k[entry_of[axis]] for axis, at in enumerate(place))]
    return {"output": y}
