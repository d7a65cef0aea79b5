"""Reference oracle of ONNX Neg. The lowest integer, which the text leaves open, stays."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the input, of a valid call in a version of the operator."""
    return mapped(call, lambda x: wrapped(-x, call.inputs["X"].dtype.name) if isinstance(x, int) else -x)
