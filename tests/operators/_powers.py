"""An implementation of powers, element by element, honest ways to compute them, as mixins."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import Pairs, is_float, largest


class Power(Pairs):
    """Floating point by numpy in a type that holds both operands; integers by repeated multiplication."""

    def result(self, a, b):
        return np.asarray(self.of_floats(a, b) if is_float(a) else self.of_integers(a, b)).astype(a.dtype)

    def common(self, a, b):
        """float64 where an operand is one or has more than 24 bits, else float32."""
        wide = any(x.dtype.itemsize > 4 or x.dtype.kind in "iu" and x.dtype.itemsize > 2 for x in (a, b))
        return np.float64 if wide else np.float32

    def of_floats(self, a, b):
        """Where A has floating-point numbers."""
        common = self.common(a, b)
        if is_float(b):
            return self.power(a.astype(common), b.astype(common))
        found = self.power(a.astype(common), b.astype(common))
        large = np.abs(b.astype(np.float64)) >= 2.0**53  # where the exponent, rounded, is even
        return np.where(large & np.signbit(a) & (b % 2 == 1), -np.abs(found), found)

    def power(self, a, b):
        """Of float32 or float64."""
        return np.power(a, b)

    def of_integers(self, a, b):
        """Where A has integers."""
        if is_float(b):
            return self.cut(self.power(a.astype(np.float64), b.astype(np.float64)))
        found = np.ones_like(a)
        exponent = np.minimum(b.astype(np.int64) if b.dtype != np.uint64 else np.minimum(b, 2**62).astype(np.int64),
                              126 + b.astype(np.int64) % 2)
        factor = a.copy()
        while (exponent > 0).any():
            found = np.where((exponent > 0) & (exponent % 2 == 1), found * factor, found)
            factor, exponent = factor * factor, exponent // 2
        inverse = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b.astype(np.int64) % 2), 0)).astype(a.dtype)
        return np.where(b < 0, inverse, found)

    def cut(self, power):
        """Of a floating-point number an integer."""
        inside = np.isfinite(power) & (np.abs(power) < 2.0**62)
        return np.trunc(np.where(inside, power, 0))


# What the texts allow


class InDouble:
    """Everything in float64."""

    def common(self, a, b):
        return np.float64


class ByLogarithm:
    """2 to the power of B times the binary logarithm of |A|, with the sign put back; special values apart."""

    def power(self, a, b):
        exact = np.power(a, b)
        plain = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0) & (exact == exact)
        size = np.exp2(b * np.log2(np.abs(np.where(plain, a, 1))))
        return np.where(plain, np.copysign(size, exact), exact)


class BySquaring:
    """Small integers as exponents by multiplication."""

    def power(self, a, b):
        whole = (b == np.floor(b)) & (np.abs(b) <= 32) & np.isfinite(a) & (a != 0)
        count = np.where(whole, np.abs(b), 0).astype(np.int64)
        found, factor = np.ones_like(a), a.copy()
        for bit in range(6):
            found = np.where(count >> bit & 1, found * factor, found)
            factor = factor * factor
        usable = whole & np.isfinite(found) & (found != 0) & (np.abs(found) > 1e-30)
        return np.where(usable, np.where(b < 0, 1 / np.where(usable, found, 1), found), np.power(a, b))


class RoundsWhatIsCut:
    """Powers that are not integers are rounded to nearest."""

    def cut(self, power):
        inside = np.isfinite(power) & (np.abs(power) < 2.0**62)
        return np.rint(np.where(inside, power, 0))


class LargestForOverflow:
    """The largest number is given for powers of numbers that are above it."""

    def of_floats(self, a, b):
        with np.errstate(all="ignore"):
            found = np.asarray(super().of_floats(a, b)).astype(a.dtype)
        top = largest(a.dtype)
        above = np.isinf(found) & np.isfinite(a) & np.isfinite(b.astype(np.float64)) & (a != 0)
        return np.where(above, np.where(np.signbit(found), -top, top), found)


class PositiveZeros:
    """Zeros are positive."""

    def finished(self, c, a, b):
        c = super().finished(c, a, b)
        return np.where(c == 0, c.dtype.type(0), c) if is_float(c) else c


class NanForOneByNan:
    """1 to the power of NaN is NaN."""

    def power(self, a, b):
        return np.where((a == 1) & np.isnan(b), np.nan, super().power(a, b))


# Faults


class Product:
    """The product is given."""

    def power(self, a, b):
        return a * b


class NanByZeroExponent:
    """NaN to the power of 0 is NaN."""

    def power(self, a, b):
        return np.where(np.isnan(a), np.nan, super().power(a, b))


class NanForMinusOne:
    """-1 by an infinity is NaN."""

    def power(self, a, b):
        return np.where((a == -1) & np.isinf(b), np.nan, super().power(a, b))


class ZeroForNan:
    """NaN is given as zero."""

    def finished(self, c, a, b):
        c = super().finished(c, a, b)
        return np.where(c != c, c.dtype.type(0), c)


class DoubleInSingle:
    """float64 is computed in float32."""

    def of_floats(self, a, b):
        found = super().of_floats(a, b)
        return found.astype(np.float32) if a.dtype == np.float64 else found
