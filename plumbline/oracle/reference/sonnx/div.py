"""Reference oracle of SONNX Div: the exact quotient of two elements at a time, as in ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import computed, quotient


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call."""
    return computed(call, quotient)
