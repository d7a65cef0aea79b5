"""Reference oracle of ONNX TopK: one element after another is looked for. Of no asked order it gives the sorted one."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Values in the element type of X, and Indices, of a valid call in a version of the operator."""
    x, axis = call.inputs["X"], call.attributes.get("axis", -1)
    if axis < 0:
        axis += x.ndim
    k = call.attributes["k"] if version < 10 else int(call.inputs["K"][0])
    largest = call.attributes.get("largest", 1) != 0
    shape = [*x.shape[:axis], k, *x.shape[axis + 1:]]
    values, indices = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    for place in places([*x.shape[:axis], *x.shape[axis + 1:]]):
        left = list(range(x.shape[axis]))
        for number in range(k):
            best = left[0]
            for index in left:
                one, other = (x[(*place[:axis], at, *place[axis:])] for at in (index, best))
                if one > other if largest else one < other:
                    best = index
            left.remove(best)
            values[(*place[:axis], number, *place[axis:])] = x[(*place[:axis], best, *place[axis:])]
            indices[(*place[:axis], number, *place[axis:])] = best
    return {"Values": values, "Indices": indices}
