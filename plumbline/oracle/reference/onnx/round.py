"""Reference oracle of ONNX Round. A zero has the sign of X, whatever the version."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the input, of a valid call in a version of the operator."""
    return mapped(call, lambda x: math.copysign(round(x), x) if math.isfinite(x) else x)
