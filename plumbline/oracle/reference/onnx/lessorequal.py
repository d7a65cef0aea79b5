"""Reference oracle of ONNX LessOrEqual: two elements at a time. Of NaN, which the text leaves open: false."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._pairs import paired


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return C, of bool, of a valid call in a version of the operator."""
    return paired(call, version, np.dtype(bool), lambda a, b: a <= b)
