"""Reference oracle of ONNX ArgMax: one line after another, NaN above every number.

Where the text leaves a choice this gives the first NaN, and the first of equal elements; 0 for an empty line.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, of int64, of a valid call in a version of the operator."""
    x = call.inputs["data"]
    axis, last = call.attributes.get("axis", 0), call.attributes.get("select_last_index", 0) == 1
    axis = axis + x.ndim if axis < 0 else axis
    kept = call.attributes.get("keepdims", 1) == 1
    y = np.empty((*x.shape[:axis], *([1] if kept else []), *x.shape[axis + 1:]), dtype=np.int64)
    for place in places(y.shape):
        before, after = place[:axis], place[axis + 1:] if kept else place[axis:]
        found = 0
        for index in range(1, x.shape[axis]):
            value, best = x[(*before, index, *after)].item(), x[(*before, found, *after)].item()
            if _above(value, best) or (last and not _above(best, value)):
                found = index
        y[place] = found
    return {"reduced": y}


def _above(one: float, other: float) -> bool:
    """Return True if one is above the other, NaN above every number."""
    if one != one or other != other:
        return one != one and other == other
    return one > other
