"""Reference oracle of ONNX Split: each element of input put at its place in the output that holds it.

It shares nothing with the definition.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator."""
    x, names = call.inputs["input"], call.outputs or ("outputs_0",)
    axis = call.attributes.get("axis", 0) % x.ndim
    lengths = call.inputs.get("split", call.attributes.get("split"))
    left, sizes = x.shape[axis], []
    for number in range(len(names)):
        if lengths is not None:
            sizes.append(int(lengths[number]))
        else:
            size = x.shape[axis] // len(names) + (x.shape[axis] % len(names) > 0)
            sizes.append(size if size < left else left)
        left -= sizes[-1]
    outputs = {}
    for name, size in zip(names, sizes, strict=True):
        outputs[name] = np.empty((*x.shape[:axis], size, *x.shape[axis + 1:]), x.dtype)
    for place in places(x.shape):
        number, at = 0, place[axis]
        while at >= sizes[number]:
            at -= sizes[number]
            number += 1
        outputs[names[number]][(*place[:axis], at, *place[axis + 1:])] = x[place]
    return outputs
