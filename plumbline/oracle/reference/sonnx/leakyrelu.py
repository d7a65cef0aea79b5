"""Reference oracle of SONNX LeakyRelu: the cases of the draft, with the float32 alpha, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import leaks


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    return leaks.leakyrelu(call, 16)
