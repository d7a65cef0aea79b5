"""Reference oracle of SONNX Flatten: the place of each element, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import flatten


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return output, in the element type of input, of a valid call."""
    return flatten.expected(call, 25)
