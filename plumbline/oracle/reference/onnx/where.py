"""Reference oracle of ONNX Where: one element copied after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of X, of a valid call in a version of the operator."""
    condition, x, y = (call.inputs[name] for name in ("condition", "X", "Y"))
    shape = together([condition.shape, x.shape, y.shape])
    output = np.empty(shape, dtype=x.dtype)
    for place in places(shape):
        chosen = x if condition[cell(condition.shape, place)] else y
        output[place] = chosen[cell(chosen.shape, place)]
    return {"output": output}
