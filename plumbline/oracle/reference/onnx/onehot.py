"""Reference oracle of ONNX OneHot: each index names its class."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of values, of a valid call in a version of the operator."""
    indices, values = call.inputs["indices"], call.inputs["values"]
    depth, axis = int(call.inputs["depth"].item()), call.attributes.get("axis", -1)
    if axis < 0:
        axis += indices.ndim + 1
    output = np.empty((*indices.shape[:axis], depth, *indices.shape[axis:]), values.dtype)
    output[...] = values[:1]
    for place in places(indices.shape):
        index = indices[place].item()
        if version >= 11 and index < 0:
            index += depth
        if 0 <= index < depth and index == int(index):
            output[(*place[:axis], int(index), *place[axis:])] = values[1]
    return {"output": output}
