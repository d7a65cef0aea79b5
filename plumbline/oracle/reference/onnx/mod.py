"""Reference oracle of ONNX Mod: the exact remainder of two elements at a time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together
from plumbline.oracle.reference.exact import rounded


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call in a version of the operator; 0 of integers modulo zero."""
    a, b = call.inputs["A"], call.inputs["B"]
    truncates = call.attributes.get("fmod", 0) == 1
    shape = together([a.shape, b.shape])
    c = np.empty(shape, dtype=a.dtype)
    for place in places(shape):
        x, y = a[cell(a.shape, place)], b[cell(b.shape, place)]
        if a.dtype.kind in "iu":
            c[place] = _remainder(int(x), int(y), truncates) if y else 0
        else:
            c[place] = _float(float(x), float(y), truncates, a.dtype)
    return {"C": c}


def _remainder(x: int | Fraction, y: int | Fraction, truncates: bool) -> int | Fraction:
    quotient = Fraction(x) / Fraction(y)
    return x - (math.trunc(quotient) if truncates else math.floor(quotient)) * y


def _float(x: float, y: float, truncates: bool, dtype: np.dtype) -> float:
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    negative = math.copysign(1, x if truncates else y) < 0
    if math.isinf(y):
        if not truncates and x != 0 and (x < 0) != negative:
            return y
        return -abs(x) if negative else abs(x)
    exact = Fraction(_remainder(Fraction(x), Fraction(y), truncates))
    found = float(rounded(exact, dtype))
    return math.copysign(found, -1 if negative else 1) if found == 0 else found
