"""Reference oracles of ONNX's functions without stated accuracy: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._error_function import error_function
from plumbline.oracle.reference._exponentials import context, exponential, fraction, logarithm, spare
from plumbline.oracle.reference._rounding import nearest

Outputs = dict[str, np.ndarray]

SMALLEST = -1000
"""Below it Softplus is less than half the smallest number of every type."""


def exp(call: Call, version: int) -> Outputs:
    """Return powers of e."""
    return _rounded(call, exponential, {math.inf: math.inf, -math.inf: 0.0})


def log(call: Call, version: int) -> Outputs:
    """Return logarithms, NaN below zero."""
    return _rounded(call, lambda x: math.nan if x < 0 else logarithm(x), {0: -math.inf, math.inf: math.inf})


def sigmoid(call: Call, version: int) -> Outputs:
    """Return 1 over the sum of 1 and a power of e."""
    return _rounded(call, lambda x: context().divide(1, context().add(1, exponential(-x))),
                    {math.inf: 1.0, -math.inf: 0.0})


def tanh(call: Call, version: int) -> Outputs:
    """Return hyperbolic tangents; those of zeros are the zeros."""
    def value(x: float) -> float | Decimal:
        if x == 0:
            return x
        digits, power = context(spare(x)), exponential(-2 * abs(x), spare(x))
        size = digits.divide(digits.subtract(1, power), digits.add(1, power))
        return size if x > 0 else -size
    return _rounded(call, value, {math.inf: 1.0, -math.inf: -1.0})


def softplus(call: Call, version: int) -> Outputs:
    """Return x, or 0, and the logarithm of 1 and a power."""
    def value(x: float) -> float | Fraction:
        if x < SMALLEST:
            return 0.0
        more = math.ceil(-x / 2) if x < 0 else 0
        digits = context(more)
        summand = digits.ln(digits.add(1, exponential(-abs(x), more)))
        return max(Fraction(x), Fraction(0)) + fraction(summand)
    return _rounded(call, value, {math.inf: math.inf, -math.inf: 0.0})


def erf(call: Call, version: int) -> Outputs:
    """Return values of the error function, of integers cut off; those of zeros are the zeros."""
    return _rounded(call, lambda x: 0 if isinstance(x, int) else x if x == 0 else error_function(Decimal(x)),
                    {math.inf: 1.0, -math.inf: -1.0}, "output")


def _rounded(call: Call, function: Callable[[Any], float | Decimal | Fraction], ends: dict[float, float],
             output: str = "Y") -> Outputs:
    """Return values of a function, as they are where it gives a float; `ends` has those of some numbers, NaN that of
    NaN."""
    dtype, = (x.dtype.name for x in call.inputs.values())

    def value(x: float) -> float:
        exact = math.nan if math.isnan(x) else ends[x] if x in ends else function(x)
        return nearest(Fraction(exact), dtype) if isinstance(exact, Decimal | Fraction) else exact
    return mapped(call, value, output)
