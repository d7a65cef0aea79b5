"""Reference oracle of ONNX NonZero: a column for each place of X that holds no zero, in row-major order."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of a valid call in a version of the operator."""
    x = call.inputs["X"]
    columns = [place for place in places(x.shape) if x[place].item() != 0]
    y = np.empty((x.ndim, len(columns)), dtype=np.int64)
    for column, place in enumerate(columns):
        for axis, index in enumerate(place):
            y[axis, column] = index
    return {"Y": y}
