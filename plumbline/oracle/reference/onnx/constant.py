"""Reference oracle of ONNX Constant: what the attribute holds, element by element."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output of a valid call in a version of the operator."""
    (name, value), = call.attributes.items()
    if name in ("value_float", "value_int"):
        return {"output": np.array(value, np.float32 if name == "value_float" else np.int64)}
    if name in ("value_floats", "value_ints"):
        listed = np.empty(len(value), np.float32 if name == "value_floats" else np.int64)
        for number, element in enumerate(value):
            listed[number] = element
        return {"output": listed}
    y = np.empty(value.shape, value.dtype)
    for place in places(value.shape):
        y[place] = value[place]
    return {"output": y}
