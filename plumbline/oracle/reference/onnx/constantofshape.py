"""Reference oracle of ONNX ConstantOfShape: one element after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of value, of a valid call in a version of the operator."""
    y = np.zeros([int(size) for size in call.inputs["input"]], np.float32)
    if "value" in call.attributes:
        value = call.attributes["value"]
        y = np.zeros(y.shape, value.dtype)
        for place in places(y.shape):
            y[place] = value[(0,) * value.ndim]
    return {"output": y}
