"""Reference oracle of SONNX Sqrt: the exact root, rounded to nearest by a comparison of squares."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import root
from plumbline.oracle.reference._elements import mapped


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    return mapped(call, lambda x: root(x, call.inputs["X"].dtype.name))
