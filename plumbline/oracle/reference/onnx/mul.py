"""Reference oracle of ONNX Mul: the exact product of two elements at a time.

Where the text leaves a choice this gives what IEEE 754 and arithmetic modulo 2**n give.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, limited, places, together
from plumbline.oracle.reference._rounding import nearest, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call in a version of the operator."""
    a, b = call.inputs["A"], call.inputs["B"]
    dtype = a.dtype.name
    axis = call.attributes.get("axis")
    shape = a.shape if version < 7 else together([a.shape, b.shape])
    c = np.empty(shape, dtype=a.dtype)
    for place in places(shape):
        if version < 7:
            left, right = a[place].item(), b[limited(a.shape, b.shape, axis, place)].item()
        else:
            left, right = a[cell(a.shape, place)].item(), b[cell(b.shape, place)].item()
        c[place] = product(left, right, dtype)
    return {"C": c}


def product(a: float, b: float, dtype: str) -> float:
    """Return the product, rounded to nearest, or wrapped."""
    if isinstance(a, int) and isinstance(b, int):
        return wrapped(a * b, dtype)
    return _floating(a, b, dtype)


def _floating(a: float, b: float, dtype: str) -> float:
    """The product in IEEE 754, rounded to nearest, ties to even."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    negative = math.copysign(1, a) != math.copysign(1, b)
    if math.isinf(a) or math.isinf(b):
        if a == 0 or b == 0:
            return math.nan
        return -math.inf if negative else math.inf
    return nearest(Fraction(a) * Fraction(b), dtype, negative_zero=negative)
