"""Reference oracle of ONNX ScatterND: one tuple after another, and of each the elements of its slice."""

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
    k = indices.shape[-1]

    def each() -> Iterator[tuple[tuple[int, ...], Any]]:
        for at in places(indices.shape[:-1]):
            entries = []
            for entry in range(k):
                index = int(indices[(*at, entry)])
                entries.append(index + data.shape[entry] if index < 0 else index)
            for rest in places(data.shape[k:]):
                yield (*entries, *rest), updates[(*at, *rest)]
    return {"output": scattered(data, each(), call.attributes.get("reduction", "none"))}
