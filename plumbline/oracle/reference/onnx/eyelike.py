"""Reference oracle of ONNX EyeLike: a one in each row whose diagonal is inside."""

from __future__ import annotations

import numpy as np
from onnx import helper

from plumbline.oracle.call import Call


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output of a valid call in a version of the operator."""
    x, k = call.inputs["input"], call.attributes.get("k", 0)
    rows, columns = x.shape
    number = call.attributes.get("dtype")
    y = np.zeros(x.shape, x.dtype if number is None else helper.tensor_dtype_to_np_dtype(number))
    for row in range(rows):
        if 0 <= row + k < columns:
            y[row, row + k] = 1
    return {"output": y}
