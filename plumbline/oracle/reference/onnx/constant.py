"""Reference oracle of ONNX Constant: what the attribute holds, element by element."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places

TYPES: dict[str, type] = {"value_float": np.float32, "value_int": np.int64, "value_string": object}
"""By attribute of one element the type of the output."""


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output of a valid call in a version of the operator."""
    (name, value), = call.attributes.items()
    if name in TYPES:
        return {"output": np.array(value, TYPES[name])}
    if name.removesuffix("s") in TYPES:
        listed: np.ndarray = np.empty(len(value), TYPES[name.removesuffix("s")])
        for number, element in enumerate(value):
            listed[number] = element
        return {"output": listed}
    y = np.empty(value.shape, value.dtype)
    for place in places(value.shape):
        y[place] = value[place]
    return {"output": y}
