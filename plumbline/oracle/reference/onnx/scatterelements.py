"""Reference oracle of ONNX ScatterElements: one place of updates after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._scattered import scattered


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of data, of a valid call in a version of the operator."""
    data, indices, updates = (call.inputs[name] for name in ("data", "indices", "updates"))
    axis = call.attributes.get("axis", 0)
    if axis < 0:
        axis += data.ndim

    def each() -> Iterator[tuple[tuple[int, ...], Any]]:
        for place in places(indices.shape):
            index = int(indices[place])
            yield (*place[:axis], index + data.shape[axis] if index < 0 else index, *place[axis + 1:]), updates[place]
    return {"output": scattered(data, each(), call.attributes.get("reduction", "none"))}
