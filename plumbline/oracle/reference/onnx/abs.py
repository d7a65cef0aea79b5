"""Reference oracle of ONNX Abs. Where the text leaves a choice: the lowest integer stays, NaN stays, zeros are +0."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    x = call.inputs["X"]
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        value = x[place].item()
        if isinstance(value, int):
            y[place] = wrapped(-value if value < 0 else value, x.dtype.name)
        else:
            y[place] = -value if value < 0 else 0.0 if value == 0 else value
    return {"Y": y}
