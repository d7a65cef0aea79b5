"""Reference oracle of SONNX Shape: the sizes from start to before end."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the shape, of int64, of a valid call."""
    rank = call.inputs["data"].ndim
    start, end = call.attributes["start"], call.attributes["end"]
    if start < 0:
        start = start + rank
    if start < 0:
        start = 0
    if end < 0:
        end = end + rank
    if end > rank:
        end = rank
    sizes = []
    axis = start
    while axis < end:
        sizes.append(call.inputs["data"].shape[axis])
        axis += 1
    return {"shape": np.array(sizes, dtype=np.int64)}
