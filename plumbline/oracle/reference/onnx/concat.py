"""Reference oracle of ONNX Concat: each element looked up in the input that holds its index."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return concat_result, in the element type of the inputs, of a valid call in a version of the operator."""
    inputs = [call.inputs[f"inputs_{number}"] for number in range(len(call.inputs))]
    axis = call.attributes.get("axis", 1)
    if axis < 0:
        axis += inputs[0].ndim
    shape = list(inputs[0].shape)
    shape[axis] = 0
    for data in inputs:
        shape[axis] += data.shape[axis]
    output = np.empty(shape, dtype=inputs[0].dtype)
    for place in places(shape):
        number, start = 0, 0
        while place[axis] >= start + inputs[number].shape[axis]:
            start += inputs[number].shape[axis]
            number += 1
        output[place] = inputs[number][(*place[:axis], place[axis] - start, *place[axis + 1:])]
    return {"concat_result": output}
