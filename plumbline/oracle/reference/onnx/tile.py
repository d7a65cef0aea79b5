"""Reference oracle of ONNX Tile: each place of the output reads the cell of input at the remainders of its indices."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call in a version of the operator."""
    x = call.inputs["input"]
    sizes = list(x.shape)
    if version < 6:
        sizes[int(call.inputs["axis"].item())] *= int(call.inputs["tiles"].item())
    else:
        for axis, count in enumerate(call.inputs["repeats"].tolist()):
            sizes[axis] *= count
    y = np.empty(sizes, dtype=x.dtype)
    for place in places(sizes):
        y[place] = x[tuple(index % size for index, size in zip(place, x.shape, strict=True))]
    return {"output": y}
