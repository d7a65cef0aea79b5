"""Reference oracles of ONNX ArgMax and ArgMin: one line after another, NaN before every number.

Where the text leaves a choice this gives the first NaN, and the first of equal elements; 0 for an empty line.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def argmax(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, of int64, of a valid call in a version of the operator."""
    return _found(call, lambda one, other: one > other)


def argmin(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, of int64, of a valid call in a version of the operator."""
    return _found(call, lambda one, other: one < other)


def _found(call: Call, further: Callable[[float, float], bool]) -> dict[str, np.ndarray]:
    """Return the indices of elements that no other is further out than, as `further` compares."""
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
            if _before(value, best, further) or (last and not _before(best, value, further)):
                found = index
        y[place] = found
    return {"reduced": y}


def _before(one: float, other: float, further: Callable[[float, float], bool]) -> bool:
    """Return True if one is further out than the other, NaN before every number."""
    if one != one or other != other:
        return one != one and other == other
    return further(one, other)
