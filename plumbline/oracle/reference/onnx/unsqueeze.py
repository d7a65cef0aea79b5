"""Reference oracle of ONNX Unsqueeze: each element at its indices with zeros inserted."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return expanded, in the element type of data, of a valid call in a version of the operator."""
    x = call.inputs["data"]
    axes = [int(axis) for axis in (call.attributes["axes"] if version < 13 else call.inputs["axes"].reshape(-1))]
    rank = x.ndim + len(axes)
    inserted = sorted(axis + rank if axis < 0 else axis for axis in axes)
    y = np.empty(_with(1, inserted, x.shape), dtype=x.dtype)
    for place in places(x.shape):
        y[_with(0, inserted, place)] = x[place]
    return {"expanded": y}


def _with(value: int, inserted: list[int], numbers: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers with a value inserted at each position, the lowest first."""
    result = list(numbers)
    for position in inserted:
        result.insert(position, value)
    return tuple(result)
