"""Compute an output element by element from the only input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def mapped(call: Call, value: Callable[[Any], Any], output: str = "Y", dtype: type | None = None
           ) -> dict[str, np.ndarray]:
    """Return `output`: `value` of each element of the only input (a Python number), in its type or in `dtype`."""
    x, = call.inputs.values()
    y = np.empty(x.shape, dtype=dtype or x.dtype)
    for place in places(x.shape):
        y[place] = value(x[place].item())
    return {output: y}
