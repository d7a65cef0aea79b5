"""Reference oracle of SONNX Reshape: the elements in their order, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import reshape


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return reshaped, in the element type of data, of a valid call."""
    return reshape.expected(call, 25)
