"""Reference oracle of ONNX Relu: one element after another."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from plumbline.oracle.call import Call


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator: x where it is above 0 or NaN, else 0."""
    x = call.inputs["X"]
    y = np.empty(x.shape, dtype=x.dtype)
    for place in product(*map(range, x.shape)):
        value = x[place].item() if x.dtype.kind == "i" else float(x[place])
        y[place] = x[place] if value > 0 or (isinstance(value, float) and math.isnan(value)) else 0
    return {"Y": y}
