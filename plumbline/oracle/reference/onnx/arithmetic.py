"""Reference oracles of ONNX Add, Sub, Mul and Div: the exact result of two elements at a time.

Where the text leaves a choice this gives what IEEE 754 and arithmetic modulo 2**n give.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._pairs import paired
from plumbline.oracle.reference._rounding import nearest, wrapped

Outputs = dict[str, np.ndarray]


def add(call: Call, version: int) -> Outputs:
    """Return sums."""
    def floating(a: float, b: float, dtype: str) -> float:
        if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b) and a != b):
            return math.nan
        if math.isinf(a) or math.isinf(b):
            return a if math.isinf(a) else b
        both_negative = math.copysign(1, a) < 0 and math.copysign(1, b) < 0
        return nearest(Fraction(a) + Fraction(b), dtype, negative_zero=both_negative)
    return _computed(call, version, lambda a, b: a + b, floating)


def sub(call: Call, version: int) -> Outputs:
    """Return differences."""
    def floating(a: float, b: float, dtype: str) -> float:
        if math.isnan(a) or math.isnan(b) or (math.isinf(a) and a == b):
            return math.nan
        if math.isinf(a) or math.isinf(b):
            return a if math.isinf(a) else -b
        negative_from_positive = math.copysign(1, a) < 0 < math.copysign(1, b)
        return nearest(Fraction(a) - Fraction(b), dtype, negative_zero=negative_from_positive)
    return _computed(call, version, lambda a, b: a - b, floating)


def mul(call: Call, version: int) -> Outputs:
    """Return products."""
    return paired(call, version, call.inputs["A"].dtype, lambda a, b: product(a, b, call.inputs["A"].dtype.name))


def product(a: float, b: float, dtype: str) -> float:
    """Return a product, rounded to nearest, or wrapped."""
    if isinstance(a, int) and isinstance(b, int):
        return wrapped(a * b, dtype)
    if math.isnan(a) or math.isnan(b):
        return math.nan
    negative = math.copysign(1, a) != math.copysign(1, b)
    if math.isinf(a) or math.isinf(b):
        if a == 0 or b == 0:
            return math.nan
        return -math.inf if negative else math.inf
    return nearest(Fraction(a) * Fraction(b), dtype, negative_zero=negative)


def div(call: Call, version: int) -> Outputs:
    """Return quotients, of integers without their fraction; 0 for an integer divided by zero, which is left open."""
    def integer(a: int, b: int) -> int:
        whole = abs(a) // abs(b) if b else 0
        return whole if (a < 0) == (b < 0) else -whole

    def floating(a: float, b: float, dtype: str) -> float:
        if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or (a == 0 and b == 0):
            return math.nan
        negative = math.copysign(1, a) != math.copysign(1, b)
        if math.isinf(a) or b == 0:
            return -math.inf if negative else math.inf
        if math.isinf(b):
            return -0.0 if negative else 0.0
        return nearest(Fraction(a) / Fraction(b), dtype, negative_zero=negative)
    return _computed(call, version, integer, floating)


def _computed(call: Call, version: int, integer: Callable[[Any, Any], int],
              floating: Callable[[float, float, str], float]) -> Outputs:
    """Return C of pairs of integers, modulo 2**n, or of floating-point numbers in the type of A."""
    dtype = call.inputs["A"].dtype
    return paired(call, version, dtype, lambda a, b: wrapped(integer(a, b), dtype.name) if isinstance(a, int) else
                  floating(a, b, dtype.name))
