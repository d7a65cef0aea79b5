"""Compute the exact result of two numbers, rounded to nearest or modulo 2**n, as IEEE 754 gives it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._pairs import paired
from plumbline.oracle.reference._rounding import FORMATS, nearest, wrapped

Number = int | float
Operation = Callable[[Number, Number, str], Number]
"""From two numbers, both integers or neither, and the name of their type to a number of the type."""


def computed(call: Call, operation: Operation, version: int = 7) -> dict[str, np.ndarray]:
    """Return C of pairs of elements of A and B, in their type; both are broadcast since version 7 of ONNX's texts."""
    dtype = call.inputs["A"].dtype
    return paired(call, version, dtype, lambda a, b: operation(a, b, dtype.name))


def total(a: Number, b: Number, dtype: str) -> Number:
    """Return the sum."""
    if isinstance(a, int) and isinstance(b, int):
        return wrapped(a + b, dtype)
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b) and a != b):
        return math.nan
    if math.isinf(a) or math.isinf(b):
        return a if math.isinf(a) else b
    both_negative = math.copysign(1, a) < 0 and math.copysign(1, b) < 0
    return nearest(Fraction(a) + Fraction(b), dtype, negative_zero=both_negative)


def difference(a: Number, b: Number, dtype: str) -> Number:
    """Return the first less the second."""
    if isinstance(a, int) and isinstance(b, int):
        return wrapped(a - b, dtype)
    return total(a, -b, dtype)


def product(a: Number, b: Number, dtype: str) -> Number:
    """Return the product."""
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


def quotient(a: Number, b: Number, dtype: str) -> Number:
    """Return the quotient, of integers without its fraction; 0 where an integer is divided by zero: left open."""
    if isinstance(a, int) and isinstance(b, int):
        whole = abs(a) // abs(b) if b else 0
        return wrapped(whole if (a < 0) == (b < 0) else -whole, dtype)
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or (a == 0 and b == 0):
        return math.nan
    negative = math.copysign(1, a) != math.copysign(1, b)
    if math.isinf(a) or b == 0:
        return -math.inf if negative else math.inf
    if math.isinf(b):
        return -0.0 if negative else 0.0
    return nearest(Fraction(a) / Fraction(b), dtype, negative_zero=negative)


def root(number: float, dtype: str) -> float:
    """Return the square root, rounded by a comparison of squares."""
    if math.isnan(number) or number < 0:
        return math.nan
    if number == 0 or math.isinf(number):
        return number
    digits, lowest, highest = FORMATS[dtype]
    exact = Fraction(number)
    exponent = max(lowest - digits, (exact.numerator.bit_length() - exact.denominator.bit_length()) // 2 - 1)
    while exponent < highest and exact >= Fraction(4) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (max(exponent, lowest) - digits + 1)
    count = math.isqrt(math.floor(exact / unit**2))
    if exact > ((count + Fraction(1, 2)) * unit) ** 2:
        count += 1
    return float(count * unit)
