"""Reference oracle of ONNX ReduceL2: the exact root, cut off far behind the digits of every type, and rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import number, product, rounded, total, wrapped

DIGITS = 1200
"""Binary digits behind the point, more than any root of a subnormal number needs."""


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        if dtype.kind in "iu":
            return wrapped(math.isqrt(sum(int(element) ** 2 for element in elements)), dtype)
        squares = total(product(number(element), number(element)) for element in elements)
        if not isinstance(squares, Fraction):
            return dtype.type(squares)
        return rounded(Fraction(math.isqrt(math.floor(squares * 4 ** DIGITS)), 2 ** DIGITS), dtype)
    return reduced(call, value)
