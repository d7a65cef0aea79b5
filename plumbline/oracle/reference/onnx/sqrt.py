"""Reference oracle of ONNX Sqrt: the exact root, rounded to nearest by a comparison of squares.

Where the text leaves a choice this gives what IEEE 754 gives.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import FORMATS


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    x = call.inputs["X"]
    y = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        y[place] = _root(x[place].item(), x.dtype.name)
    return {"Y": y}


def _root(value: float, dtype: str) -> float:
    """Return the square root, rounded to the type `dtype`."""
    if math.isnan(value) or value < 0:
        return math.nan
    if value == 0 or math.isinf(value):
        return value
    digits, lowest, highest = FORMATS[dtype]
    exact = Fraction(value)
    exponent = max(lowest - digits, (exact.numerator.bit_length() - exact.denominator.bit_length()) // 2 - 1)
    while exponent < highest and exact >= Fraction(4) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (max(exponent, lowest) - digits + 1)
    count = math.isqrt(math.floor(exact / unit**2))
    if exact > ((count + Fraction(1, 2)) * unit) ** 2:
        count += 1
    return float(count * unit)
