"""Exponentials, logarithms and functions of them, element by element: honest ways to compute them, and faults."""

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


class InBfloat16:
    """float32 loses the last sixteen bits of X and of each result."""

    def function(self, x):
        return self.cut(super().function(x)) if x.dtype == np.float32 else super().function(x)

    @staticmethod
    def cut(y):
        """Towards zero."""
        bits = np.ascontiguousarray(y, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
        return np.where(np.isfinite(y), bits.view(np.float32).reshape(np.shape(y)), y)


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
    """Finite numbers beyond 18 count as 18."""

    def function(self, x):
        return super().function(np.where(np.isfinite(x), np.clip(x, -18, 18), x).astype(x.dtype))


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


class PowersOfTwo:
    """The base is 2."""

    def function(self, x):
        return np.exp2(x)


class PowersOfTen:
    """The base is 10."""

    def function(self, x):
        return np.power(x.dtype.type(10), x)


class LessOne:
    """One is subtracted."""

    def function(self, x):
        return super().function(x) - 1


class OfTheMagnitude:
    """The sign of X is lost."""

    def function(self, x):
        return super().function(np.abs(x))


class OfTheNegative:
    """X is negated."""

    def function(self, x):
        return super().function(-x)


class OfTwice:
    """X is doubled."""

    def function(self, x):
        return super().function(x + x)


class OfHalf:
    """X is halved."""

    def function(self, x):
        return super().function(x / 2)


class NanForOverflow:
    """NaN is given where the power is above the largest number."""

    def result(self, x):
        y = super().result(x)
        return np.where(np.isinf(y) & np.isfinite(x), y.dtype.type(np.nan), y)


class StopsAtTen:
    """Numbers beyond 10 count as 10."""

    def function(self, x):
        return super().function(np.clip(x, -10, 10))


class ZeroBelow:
    """Negative numbers give zero."""

    def result(self, x):
        y = super().result(x)
        return np.where(x < 0, y.dtype.type(0), y)


class NotExactAtZero:
    """The value at zero is one step too low."""

    def result(self, x):
        y = super().result(x)
        return np.where(x == 0, np.nextafter(y, y.dtype.type(-np.inf)), y) if y.dtype.kind == "f" else y


class NanForMinusInfinity:
    """-inf gives NaN."""

    def result(self, x):
        return np.where(np.isneginf(widened(x)), x.dtype.type(np.nan), super().result(x))


class NegatesSmallResults:
    """Results below one half have the other sign."""

    def result(self, x):
        y = super().result(x)
        return np.where((np.abs(y) < 0.5) & (y != 0), -y, y)


class BinaryLogarithm:
    """The base is 2."""

    def function(self, x):
        return np.log2(x)


class DecimalLogarithm:
    """The base is 10."""

    def function(self, x):
        return np.log10(x)


class OfOneMore:
    """One is added to X."""

    def function(self, x):
        return np.log1p(x)


class WithEpsilon:
    """A small number is added to X, so that zero has a logarithm."""

    def function(self, x):
        return super().function(x + x.dtype.type(1e-7))


class LogarithmOfTheMagnitude:
    """Negative numbers have the logarithm of their magnitude."""

    def function(self, x):
        return super().function(np.abs(x))


class LowestForZero:
    """Zero has the lowest finite number for a logarithm."""

    def result(self, x):
        return np.where(x == 0, -largest(x.dtype), super().result(x))


class ZeroForNegative:
    """Negative numbers give zero, where NaN is due."""

    def result(self, x):
        return np.where(x < 0, x.dtype.type(0), super().result(x))


class NanOfNegativeZeroLogarithm:
    """-0 gives NaN."""

    def result(self, x):
        return np.where((x == 0) & np.signbit(x), x.dtype.type(np.nan), super().result(x))


class NotExactAtOne:
    """The logarithm of 1 is a small number."""

    def result(self, x):
        y = super().result(x)
        return np.where(x == 1, x.dtype.type(2.0**-12), y)


class HardSigmoid:
    """X / 5 + 1/2, limited to 0 and 1."""

    def function(self, x):
        return np.clip(x * x.dtype.type(0.2) + x.dtype.type(0.5), 0, 1)


class QuotientOfPowers:
    """e**X / (1 + e**X), NaN where both overflow."""

    def function(self, x):
        e = np.exp(x)
        return e / (1 + e)


class GivesTanh:
    """The hyperbolic tangent is given."""

    def function(self, x):
        return np.tanh(x)


class GivesSigmoid:
    """The logistic function is given."""

    def function(self, x):
        return 1 / (1 + np.exp(-x))


class HardTanh:
    """X, limited to -1 and 1."""

    def function(self, x):
        return np.clip(x, -1, 1)


class Softsign:
    """X / (1 + |X|)."""

    def function(self, x):
        return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x)))


class QuotientOfDifferences:
    """(e**2X - 1) / (e**2X + 1), NaN where both overflow."""

    def function(self, x):
        e = np.exp(2 * x)
        return (e - 1) / (e + 1)


class LinearNearZero:
    """The first two terms of a series stand for the function below 2."""

    def function(self, x):
        return np.where(np.abs(x) < 2, x - x**3 / 3, super().function(x))
