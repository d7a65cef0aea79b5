"""Reference oracle of ONNX Shape: the sizes from start to before end."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the shape, of int64, of a valid call in a version of the operator."""
    rank = call.inputs["data"].ndim
    start, end = (call.attributes.get("start", 0), call.attributes.get("end", rank)) if version >= 15 else (0, rank)
    start, end = (bound + rank if bound < 0 else bound for bound in (start, end))
    start, end = min(max(start, 0), rank), min(max(end, 0), rank)
    sizes = []
    axis = start
    while axis < end:
        sizes.append(call.inputs["data"].shape[axis])
        axis += 1
    return {"shape": np.array(sizes, dtype=np.int64)}
