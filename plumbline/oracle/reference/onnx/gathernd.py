"""Reference oracle of ONNX GatherND: each place of the output looked up in data."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    data, indices = call.inputs["data"], call.inputs["indices"]
    b = call.attributes.get("batch_dims", 0)
    k, q = indices.shape[-1], indices.ndim
    y = np.empty(indices.shape[:q - 1] + data.shape[b + k:], dtype=data.dtype)
    for place in places(y.shape):
        entries = []
        for entry in range(k):
            index = int(indices[(*place[:q - 1], entry)])
            entries.append(index + data.shape[b + entry] if index < 0 else index)
        y[place] = data[(*place[:b], *entries, *place[q - 1:])]
    return {"output": y}
