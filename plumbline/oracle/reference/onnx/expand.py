"""Reference oracle of ONNX Expand: each place of the output reads the cell of input that is repeated there."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call in a version of the operator."""
    x = call.inputs["input"]
    y = np.empty(together([x.shape, call.inputs["shape"].tolist()]), dtype=x.dtype)
    for place in places(y.shape):
        y[place] = x[cell(x.shape, place)]
    return {"output": y}
