"""Reference oracle of SONNX ArgMax: one line after another, NaN above every number, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx.arguments import argmax


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return reduced, of int64, of a valid call."""
    return argmax(call, 13)
