"""Reference oracle of ONNX Reshape: the elements in their order, from one shape to the other.

A size that the text leaves open is given as 0.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reshaped, in the element type of data, of a valid call in a version of the operator."""
    x = call.inputs["data"]
    asked = [int(entry) for entry in (call.attributes["shape"] if version < 5 else call.inputs["shape"])]
    copied = call.attributes.get("allowzero", 0) != 1
    shape = [x.shape[number] if entry == 0 and copied else entry for number, entry in enumerate(asked)]
    if -1 in shape:
        others, elements = 1, 1
        for size in shape:
            others *= 1 if size == -1 else size
        for size in x.shape:
            elements *= size
        shape[shape.index(-1)] = elements // others if others else 0
    y = np.empty(shape, dtype=x.dtype)
    for source, target in zip(places(x.shape), places(shape), strict=True):
        y[target] = x[source]
    return {"reshaped": y}
