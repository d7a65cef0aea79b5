"""Reference oracle of SONNX Flatten: the row and the column of each element, counted from its indices."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call."""
    x = call.inputs["input"]
    axis = call.attributes["axis"]
    if axis < 0:
        axis += x.ndim
    rows, columns = 1, 1
    for number, size in enumerate(x.shape):
        if number < axis:
            rows *= size
        else:
            columns *= size
    y = np.empty((rows, columns), dtype=x.dtype)
    for place in places(x.shape):
        row, column = 0, 0
        for number, at in enumerate(place):
            if number < axis:
                row = row * x.shape[number] + at
            else:
                column = column * x.shape[number] + at
        y[row, column] = x[place]
    return {"output": y}
