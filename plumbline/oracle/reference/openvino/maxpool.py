"""Reference oracle of OpenVINO MaxPool: one element after another."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.openvino.windows import layout


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y and Indices (int64 or int32) of a valid call with windows, in a version of the operator."""
    x = call.inputs["X"]
    shape, of_x, _ = layout(call)
    first_axis = call.attributes.get("axis", 0)
    counted = x.shape[first_axis:] if first_axis >= 0 else x.shape[x.ndim + first_axis:]
    index_type = {"i64": np.int64, "i32": np.int32}[call.attributes.get("index_element_type", "i64")]
    y, indices = np.empty(shape, dtype=x.dtype), np.empty(shape, dtype=index_type)
    for place in product(*map(range, shape)):
        best = None
        for cell in of_x(place[2:]):
            where = (*place[:2], *cell)
            value = x[where].item()
            if not math.isnan(value) and (best is None or _exact(value) > _exact(best[0])):
                flat = 0
                for size, at in zip(counted, where[x.ndim - len(counted):], strict=True):
                    flat = flat * size + at
                best = value, flat
        y[place], indices[place] = best or (0 if x.dtype.kind in "iu" else -math.inf, 0)
    return {"Y": y, "Indices": indices}


def _exact(value: float) -> float | Fraction:
    """Infinities as they are, other values as fractions."""
    return Fraction(value) if math.isfinite(value) else value
