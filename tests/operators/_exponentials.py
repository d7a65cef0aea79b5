"""Exponentials, logarithms and functions of them, element by element: honest ways to compute them."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import largest, smallest_normal
from tests.operators._unary import Elements


def widened(x):
    """bfloat16 and float16 as float32, others as they are."""
    return x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)


class Approximate(Elements):
    """Computed in the type of X, of sixteen bits by way of float32."""

    def result(self, x):
        return np.asarray(self.function(widened(x))).astype(x.dtype)

    def function(self, x):
        """Of float32 or float64."""
        raise NotImplementedError


class Exp(Approximate):
    """By numpy."""

    def function(self, x):
        return np.exp(x)


class Log(Approximate):
    """By numpy."""

    def function(self, x):
        return np.log(x)


class Sigmoid(Approximate):
    """With powers of negative numbers alone."""

    def function(self, x):
        e = np.exp(-np.abs(x))
        return np.where(x < 0, e, 1) / (1 + e)


class Tanh(Approximate):
    """By numpy."""

    def function(self, x):
        return np.tanh(x)


# What the texts allow


class FlushesSubnormals:
    """Results below the normal range are zero."""

    def finished(self, y):
        y = super().finished(y)
        return np.where(np.abs(y) < y.dtype.type(smallest_normal(y.dtype)), np.copysign(y.dtype.type(0), y), y)


class ByPowersOfTwo:
    """2 to the power of X times the binary logarithm of e."""

    def function(self, x):
        return np.where(np.isinf(x), np.exp(x), np.exp2(x * x.dtype.type(np.log2(np.e))))


class BySignificand:
    """The logarithm of the significand and that of the power of two."""

    def function(self, x):
        significand, exponent = np.frexp(np.where((x > 0) & np.isfinite(x), x, 1))
        log_two = x.dtype.type(np.log(2))
        with np.errstate(all="ignore"):
            special = np.log(x)
        found = np.log(significand) + exponent.astype(x.dtype) * log_two
        return np.where((x > 0) & np.isfinite(x) & (x != 1), np.where(x > 1, np.abs(found), -np.abs(found)), special)


class ByBinaryLogarithm:
    """The binary logarithm, divided by that of e."""

    def function(self, x):
        return np.log2(x) / x.dtype.type(np.log2(np.e))


class ByOneFormula:
    """1 / (1 + e**-X), whose power overflows to give zero."""

    def function(self, x):
        return 1 / (1 + np.exp(-x))


class ByHyperbolicTangent:
    """Half of one and the hyperbolic tangent of half of X."""

    def function(self, x):
        half = x.dtype.type(0.5)
        return half + half * np.tanh(half * x)


class CutOff:
    """Finite numbers beyond 18 count as 18, where float64 would tell."""

    def function(self, x):
        cut = np.where(np.isfinite(x), np.clip(x, -18, 18), x).astype(x.dtype)
        return super().function(x if x.dtype == np.float64 else cut)


class ByNegativePowers:
    """(1 - e**-2|X|) / (1 + e**-2|X|), with the sign of X."""

    def function(self, x):
        e = np.exp(-2 * np.abs(x))
        return np.copysign((1 - e) / (1 + e), x)


class ByLogistic:
    """Twice the logistic function of twice X, less 1."""

    def function(self, x):
        e = np.exp(-2 * np.abs(x))
        found = 2 / (1 + e) - 1
        return np.where(x < 0, -found, found)


class LargestForOverflow:
    """The largest number is given where the power is above it."""

    def result(self, x):
        y = super().result(x)
        return np.where(np.isinf(y) & np.isfinite(x), largest(y.dtype), y)


# Faults
