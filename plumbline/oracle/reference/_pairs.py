"""Compute an output element by element from A and B, which are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, limited, places, together


def paired(call: Call, version: int, dtype: np.dtype, value: Callable[[Any, Any], Any]) -> dict[str, np.ndarray]:
    """Return C of element type `dtype`: `value` of the elements of A and B (Python numbers)."""
    a, b = call.inputs["A"], call.inputs["B"]
    axis = call.attributes.get("axis")
    c = np.empty(a.shape if version < 7 else together([a.shape, b.shape]), dtype=dtype)
    for place in places(c.shape):
        of_a = place if version < 7 else cell(a.shape, place)
        of_b = limited(a.shape, b.shape, axis, place) if version < 7 else cell(b.shape, place)
        c[place] = value(a.item(of_a), b.item(of_b))
    return {"C": c}
