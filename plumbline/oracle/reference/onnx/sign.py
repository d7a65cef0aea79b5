"""Reference oracle of ONNX Sign. NaN, which the text leaves open, stays."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the input, of a valid call in a version of the operator."""
    return mapped(call, lambda x: 1 if x > 0 else -1 if x < 0 else x, "output")
