"""Reference oracle of ONNX Transpose: each element of data goes to the place that perm gives its index."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    data = call.inputs["data"]
    perm = call.attributes.get("perm", [data.ndim - 1 - axis for axis in range(data.ndim)])
    y = np.empty([data.shape[axis] for axis in perm], dtype=data.dtype)
    for place in places(data.shape):
        y[tuple(place[axis] for axis in perm)] = data[place]
    return {"transposed": y}
