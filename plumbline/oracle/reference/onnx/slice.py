"""Reference oracle of ONNX Slice: the indices of each axis, one step after another.

Where the text leaves a choice this clamps as version 13 does; of two entries for an axis the last counts.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    x = call.inputs["data"]
    given = call.attributes if version < 10 else call.inputs
    starts, ends = [int(entry) for entry in given["starts"]], [int(entry) for entry in given["ends"]]
    axes = [int(entry) for entry in given["axes"]] if "axes" in given else list(range(len(starts)))
    steps = [int(entry) for entry in given["steps"]] if "steps" in given else [1] * len(starts)
    chosen = [list(range(size)) for size in x.shape]
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        chosen[axis] = _indices(start, end, step, x.shape[axis])
    y = np.empty([len(indices) for indices in chosen], dtype=x.dtype)
    for place in places(y.shape):
        y[place] = x[tuple(indices[at] for indices, at in zip(chosen, place, strict=True))]
    return {"output": y}


def _indices(start: int, end: int, step: int, size: int) -> list[int]:
    """The indices from start to before end, both clamped."""
    start, end = start + size if start < 0 else start, end + size if end < 0 else end
    lowest, highest = (0, size) if step > 0 else (-1, size - 1)
    start, end = min(max(start, 0), highest), min(max(end, lowest), highest)
    indices = []
    while size > 0 and (start < end if step > 0 else start > end):
        indices.append(start)
        start += step
    return indices
