"""Reference oracle of ONNX Trilu: each element is compared with the diagonal."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call in a version of the operator."""
    x = call.inputs["input"]
    k = int(call.inputs["k"]) if "k" in call.inputs else 0
    upper = call.attributes.get("upper", 1) != 0
    y = np.zeros_like(x)
    for place in places(x.shape):
        above = place[-1] - place[-2]
        if (upper and above >= k) or (not upper and above <= k):
            y[place] = x[place]
    return {"output": y}
