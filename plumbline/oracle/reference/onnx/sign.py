"""Reference oracle of ONNX Sign. NaN, which the text leaves open, stays."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """The output, in the element type of the input, of a call inside the domain."""
    return mapped(call, lambda x: 1 if x > 0 else -1 if x < 0 else x, "output")
