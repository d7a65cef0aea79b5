"""Reference oracle of ONNX Squeeze: each element at its indices without those on the axes removed."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return squeezed, in the element type of data, of a valid call in a version of the operator."""
    x = call.inputs["data"]
    axes = call.attributes.get("axes") if version < 13 else call.inputs.get("axes")
    kept = []
    for axis in range(x.ndim):
        named = x.shape[axis] == 1 if axes is None else axis in np.ravel(axes) or axis - x.ndim in np.ravel(axes)
        if not named:
            kept.append(axis)
    y = np.empty([x.shape[axis] for axis in kept], dtype=x.dtype)
    for place in places(x.shape):
        y[tuple(place[axis] for axis in kept)] = x[place]
    return {"squeezed": y}
