"""Reference oracle of SONNX Shape: the sizes from start to before end, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import shape


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the shape, of int64, of a valid call."""
    return shape.expected(call, 25)
