"""Reference oracle of ONNX MaxPool: the formulas of the documentation, one element after another."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx.windows import layout


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X) and Indices (int64) of a valid call with windows, in a version of the operator."""
    x = call.inputs["X"]
    shape, select = layout(call, version)
    y, indices = np.empty(shape, dtype=x.dtype), np.empty(shape, dtype=np.int64)
    spatial = x.shape[2:]
    for place in product(*map(range, shape)):
        selected = []
        for cell in select(place[2:]):
            flat = 0
            for size, at in zip(x.shape, (*place[:2], *cell), strict=True):
                flat = flat * size + at
            if call.attributes.get("storage_order", 0) == 1 and len(spatial) == 2:
                plane = place[0] * x.shape[1] + place[1]
                flat = plane * spatial[0] * spatial[1] + cell[1] * spatial[0] + cell[0]
            selected.append((x[(*place[:2], *cell)].item(), cell, flat))
        numbers = [entry for entry in selected if not math.isnan(entry[0])] or selected[:1]
        if not numbers:
            y[place], indices[place] = 0, 0
            continue
        largest = numbers[0]
        for entry in numbers[1:]:
            if entry[0] > largest[0]:  # two numbers of Python, which are compared exactly
                largest = entry
        y[place], indices[place] = largest[0], largest[2]
    return {"Y": y, "Indices": indices}
