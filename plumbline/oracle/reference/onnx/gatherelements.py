"""Reference oracle of ONNX GatherElements: each place of the output looked up in data."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    data, indices = call.inputs["data"], call.inputs["indices"]
    axis = call.attributes.get("axis", 0)
    if axis < 0:
        axis += data.ndim
    y = np.empty(indices.shape, dtype=data.dtype)
    for place in places(y.shape):
        index = int(indices[place])
        if index < 0:
            index += data.shape[axis]
        y[place] = data[(*place[:axis], index, *place[axis + 1:])]
    return {"output": y}
