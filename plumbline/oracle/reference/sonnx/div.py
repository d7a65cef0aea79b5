"""Reference oracle of SONNX Div: the exact quotient of two elements at a time."""

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
        return _integer(a, b, dtype)
    return _floating(a, b, dtype)


def _floating(a: float, b: float, dtype: str) -> float:
    """The quotient in IEEE 754, rounded to nearest, ties to even."""
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or (a == 0 and b == 0):
        return math.nan
    negative = math.copysign(1, a) != math.copysign(1, b)
    if math.isinf(a) or b == 0:
        return -math.inf if negative else math.inf
    if math.isinf(b):
        return -0.0 if negative else 0.0
    return nearest(Fraction(a) / Fraction(b), dtype, negative_zero=negative)


def _integer(a: int, b: int, dtype: str) -> int:
    """The quotient without its fraction; 0 for a divisor of zero, and modulo 2**n beyond the type: left open."""
    if b == 0:
        return 0
    whole = abs(a) // abs(b)
    return wrapped(whole if (a < 0) == (b < 0) else -whole, dtype)
