"""Reference oracles of ONNX activations: exact, rounded once. NaN where a function body has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference.exact import number, product

Outputs = dict[str, np.ndarray]
Exact = Fraction | float
"""An exact number; NaN or an infinity."""


def mish(call: Call, version: int) -> Outputs:
    """Return x times a hyperbolic tangent."""
    def value(x: float) -> Exact:
        if not math.isfinite(x):
            return x if x > 0 else math.nan
        power = fraction(exponential(x))
        squares = power * (power + 2)  # tanh(ln(1 + p)) is ((1 + p)**2 - 1) / ((1 + p)**2 + 1)
        return Fraction(x) * squares / (squares + 2)
    return _rounded(call, value)


def elu(call: Call, version: int) -> Outputs:
    """Return x, or below zero alpha times a power less 1."""
    alpha = _attribute(call, "alpha", 1.0)
    return _rounded(call, lambda x: product(alpha, _power_less_one(x)) if x < 0 else x)


def selu(call: Call, version: int) -> Outputs:
    """Return gamma times x, or below zero times alpha and a power less 1."""
    alpha = _attribute(call, "alpha", 1.6732 if version == 1 else 1.67326319217681884765625)
    gamma = _attribute(call, "gamma", 1.0507 if version == 1 else 1.05070102214813232421875)
    return _rounded(call, lambda x: product(gamma, product(alpha, _power_less_one(x)) if x < 0 else number(x)))


def celu(call: Call, version: int) -> Outputs:
    """Return alpha times x over alpha, or below zero times a power of the quotient less 1; NaN where that is open."""
    alpha = _attribute(call, "alpha", 1.0)

    def value(x: float) -> Exact:
        if not isinstance(alpha, Fraction) or alpha == 0:
            return math.nan
        quotient = product(number(x), 1 / alpha)
        return product(alpha, _power_less_one(quotient) if quotient < 0 else quotient)
    return _rounded(call, value)


def softsign(call: Call, version: int) -> Outputs:
    """Return x over 1 and its magnitude."""
    return _rounded(call, lambda x: Fraction(x) / (1 + abs(Fraction(x))) if math.isfinite(x) else math.nan, "output")


def swish(call: Call, version: int) -> Outputs:
    """Return x times the logistic function of alpha and x."""
    alpha = _attribute(call, "alpha", 1.0)

    def value(x: float) -> Exact:
        argument = product(alpha, number(x))
        if not isinstance(argument, Fraction):
            return product(number(x), math.nan if math.isnan(argument) else Fraction(argument > 0))
        return product(number(x), 1 / (1 + _power(-argument)))
    return _rounded(call, value)


def thresholdedrelu(call: Call, version: int) -> Outputs:
    """Return x above alpha, as the type of x has it, else 0."""
    alpha = _attribute(call, "alpha", 1.0)
    if isinstance(alpha, Fraction):
        alpha = nearest(alpha, call.inputs["X"].dtype.name)
    return _rounded(call, lambda each: each if each > alpha else 0.0)


def _attribute(call: Call, name: str, default: float) -> Exact:
    return number(np.float32(call.attributes.get(name, default)))


def _power(x: Fraction) -> Fraction:
    digits = context()
    return fraction(exponential(digits.divide(x.numerator, x.denominator)))


def _power_less_one(x: Exact) -> Fraction:
    """Return e**x - 1, of -infinity -1; of a small x by the first terms of its series."""
    if isinstance(x, float) and math.isinf(x):
        return Fraction(-1)
    exact = Fraction(x)
    if abs(exact) < Fraction(1, 2**60):
        return exact + exact**2 / 2
    return _power(exact) - 1


def _rounded(call: Call, value: Callable[[float], Exact], output: str = "Y") -> Outputs:
    """Return values rounded to the type of the input, infinities and NaN as they are; NaN of NaN."""
    x, = call.inputs.values()

    def rounded(each: float) -> float:
        exact = each if math.isnan(each) else value(each)
        return nearest(exact, x.dtype.name) if isinstance(exact, Fraction) else exact
    return mapped(call, rounded, output)
