"""Reference oracle of SONNX Unsqueeze: each element with zeros among its indices, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import unsqueeze


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return expanded, in the element type of data, of a valid call."""
    return unsqueeze.expected(call, 25)
