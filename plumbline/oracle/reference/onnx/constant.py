"""Reference oracle of ONNX Constant: what the attribute holds, element by element."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """The output of a call inside the domain."""
    (name, held), = call.attributes.items()
    if name in ("value_float", "value_int"):
        return {"output": np.array(held, np.float32 if name == "value_float" else np.int64)}
    if name in ("value_floats", "value_ints"):
        listed = np.empty(len(held), np.float32 if name == "value_floats" else np.int64)
        for number, element in enumerate(held):
            listed[number] = element
        return {"output": listed}
    y = np.empty(held.shape, held.dtype)
    for place in places(held.shape):
        y[place] = held[place]
    return {"output": y}
