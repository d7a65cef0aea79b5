"""Reference oracle of SONNX Add: the exact sum of two elements at a time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest, wrapped


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call."""
    a, b = call.inputs["A"], call.inputs["B"]
    c = np.empty(a.shape, dtype=a.dtype)
    for place in places(a.shape):
        c[place] = _element(a[place].item(), b[place].item(), a.dtype.name)
    return {"C": c}


def _element(a: float, b: float, dtype: str) -> float:
    if isinstance(a, int) and isinstance(b, int):
        return wrapped(a + b, dtype)
    return _floating(a, b, dtype)


def _floating(a: float, b: float, dtype: str) -> float:
    """The sum in IEEE 754, rounded to nearest, ties to even."""
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b) and a != b):
        return math.nan
    if math.isinf(a) or math.isinf(b):
        return a if math.isinf(a) else b
    both_negative = math.copysign(1, a) < 0 and math.copysign(1, b) < 0
    return nearest(Fraction(a) + Fraction(b), dtype, negative_zero=both_negative)
