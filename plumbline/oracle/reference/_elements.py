"""One element of the output from that of the only input at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def mapped(call: Call, value: Callable[[Any], Any], output: str = "Y") -> dict[str, np.ndarray]:
    """The output, in the element type of the input: `value` of each element as a number of Python."""
    x, = call.inputs.values()
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        y[place] = value(x[place].item())
    return {output: y}
