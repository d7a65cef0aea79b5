"""Reference oracle of SONNX Exp: in decimals with digits to spare, rounded once, as that of ONNX."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import approximations


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    return approximations.exp(call, 13)
