"""ONNX Less by the letter: two elements at a time. A comparison with NaN, which the text leaves open, is false."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, limited, places, together


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """C, of bool, of a call inside the domain."""
    a, b = call.inputs["A"], call.inputs["B"]
    axis = call.attributes.get("axis")
    shape = a.shape if version < 7 else together([a.shape, b.shape])
    c = np.empty(shape, dtype=np.bool_)
    for place in places(shape):
        if version < 7:
            c[place] = a[place].item() < b[limited(a.shape, b.shape, axis, place)].item()
        else:
            c[place] = a[cell(a.shape, place)].item() < b[cell(b.shape, place)].item()
    return {"C": c}
