"""Reference oracle of ONNX SpaceToDepth: each element put by its indices."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call in a version of the operator."""
    x, s, crd = call.inputs["input"], call.attributes["blocksize"], call.attributes.get("mode", "DCR") == "CRD"
    batch, depth, height, width = x.shape
    y = np.empty((batch, depth * s**2, height // s, width // s), x.dtype)
    for n, c, row, column in places(x.shape):
        i, j = row % s, column % s
        channel = (c * s + i) * s + j if crd else (i * s + j) * depth + c
        y[n, channel, row // s, column // s] = x[n, c, row, column]
    return {"output": y}
