"""Reference oracle of SONNX Neg. The lowest integer, which the text leaves open, stays."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import wrapped


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    return mapped(call, lambda a: wrapped(-a, call.inputs["X"].dtype.name) if isinstance(a, int) else -a)
