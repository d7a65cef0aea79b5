"""Implementations of addition, subtraction, multiplication and division, and faults in them as mixins."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import Pairs, is_float, largest, smallest_normal


class Arithmetic(Pairs):
    """bfloat16 is computed in float32, all else in its own type."""

    exact_of_objects = True

    def result(self, a, b):
        if a.dtype.name == "bfloat16":
            return self.operation(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
        return np.asarray(self.operation(a, b), dtype=a.dtype)

    def operation(self, a, b):
        """The operation, in the type of both."""
        raise NotImplementedError


def divide(a, b):
    """The quotient; of integers towards zero, 0 for a divisor of zero."""
    if is_float(a):
        return a / b
    safe = np.where(b == 0, b.dtype.type(1), b)
    return np.where(b == 0, b.dtype.type(0), (a - np.fmod(a, safe)) // safe)


class InDouble:
    """float16 and float32 are computed in float64, and rounded once more."""

    def result(self, a, b):
        if a.dtype in (np.float16, np.float32):
            return super().result(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
        return super().result(a, b)


class Saturates:
    """Integers that do not fit are held at the end of the type."""

    def result(self, a, b):
        found = super().result(a, b)
        if a.dtype.kind not in "iu":
            return found
        ends = np.iinfo(a.dtype)
        exact = self.operation(a.astype(object), b.astype(object)) if self.exact_of_objects else None
        if exact is None:
            return np.where((a == ends.min) & (b == -1), ends.max, found).astype(a.dtype) if ends.min else found
        return np.clip(exact, ends.min, ends.max).astype(a.dtype)


class HoldsAtTheLargest:
    """Finite operands never give an infinity, but the largest number."""

    def result(self, a, b):
        found = super().result(a, b)
        if not is_float(a):
            return found
        finite = np.isfinite(a) & np.isfinite(b) & np.isinf(found) & (b != 0)
        return np.where(finite, np.copysign(largest(a.dtype), found), found).astype(a.dtype)


class ZeroForNan:
    """NaN is never given, but 0."""

    def result(self, a, b):
        found = super().result(a, b)
        return np.where(np.isnan(found), found.dtype.type(0), found) if is_float(a) else found


class OtherZeros:
    """Zeros have the other sign."""

    def result(self, a, b):
        found = super().result(a, b)
        return np.where(found == 0, -found, found) if is_float(a) else found


class PositiveZeros:
    """Zeros are positive."""

    def result(self, a, b):
        found = super().result(a, b)
        return np.where(found == 0, found.dtype.type(0), found) if is_float(a) else found


class FlushesSubnormals:
    """Subnormal results are given as zero."""

    def result(self, a, b):
        found = super().result(a, b)
        if not is_float(a):
            return found
        return np.where(np.abs(found) < found.dtype.type(smallest_normal(a.dtype)), found.dtype.type(0), found)


class NoInfinities:
    """Infinities are given as the largest finite number of their sign."""

    def result(self, a, b):
        found = super().result(a, b)
        if not is_float(a):
            return found
        return np.where(np.isinf(found), np.copysign(largest(a.dtype), found), found).astype(a.dtype)


class AbsoluteInfinities:
    """Infinities are positive."""

    def result(self, a, b):
        found = super().result(a, b)
        return np.where(np.isinf(found), np.abs(found), found) if is_float(a) else found


class RoundsTowardsZero:
    """Results of float16 and float32 are rounded towards zero."""

    def result(self, a, b):
        found = super().result(a, b)
        if a.dtype not in (np.float16, np.float32):
            return found
        exact = self.operation(a.astype(np.float64), b.astype(np.float64))
        beyond = np.isfinite(found) & (np.abs(found.astype(np.float64)) > np.abs(exact))
        return np.where(beyond, np.nextafter(found, found.dtype.type(0)), found)


class HalfOfSingle:
    """float32 is computed in bfloat16's digits: the last sixteen bits of the result are lost."""

    def result(self, a, b):
        found = super().result(a, b)
        if found.dtype != np.float32:
            return found
        cut = (np.ascontiguousarray(found).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isfinite(found), cut, found)


class BfloatAsHalf:
    """bfloat16 is computed in float16, and overflows."""

    def result(self, a, b):
        if a.dtype.name == "bfloat16":
            return self.operation(a.astype(np.float16), b.astype(np.float16)).astype(a.dtype)
        return super().result(a, b)


class SwapsOperands:
    """B comes first."""

    def result(self, a, b):
        return super().result(b, a)


class Reciprocal:
    """A is multiplied with the rounded reciprocal of B."""

    def operation(self, a, b):
        return a * (a.dtype.type(1) / b) if is_float(a) else super().operation(a, b)


class RoundsDown:
    """Quotients of integers are rounded down."""

    def operation(self, a, b):
        if is_float(a):
            return super().operation(a, b)
        return np.floor_divide(a, np.where(b == 0, b.dtype.type(1), b))


class RoundsToNearest:
    """Quotients of integers are rounded to nearest."""

    def operation(self, a, b):
        if is_float(a) or a.dtype.itemsize > 4:
            return super().operation(a, b)
        safe = np.where(b == 0, b.dtype.type(1), b)
        fits = ~((a == np.iinfo(a.dtype).min) & (safe.astype(np.int64) == -1))
        return np.where(fits, np.rint(a.astype(np.float64) / safe), super().operation(a, b)).astype(a.dtype)


class UnsignedAsSigned:
    """Unsigned integers are divided as signed ones."""

    def operation(self, a, b):
        if a.dtype.kind != "u":
            return super().operation(a, b)
        signed = np.dtype(f"int{8 * a.dtype.itemsize}")
        return super().operation(a.view(signed), b.view(signed)).view(a.dtype)


class NoSignOfZeroDivisor:
    """A divisor of -0 counts as +0."""

    def operation(self, a, b):
        return super().operation(a, np.where(b == 0, b.dtype.type(0), b)) if is_float(a) else super().operation(a, b)


class NanForZeroDivisor:
    """Everything divided by a zero is NaN."""

    def operation(self, a, b):
        found = super().operation(a, b)
        return np.where(b == 0, found.dtype.type(np.nan), found) if is_float(a) else found


class ShortsInHalf:
    """int16 and uint16 are divided in float32's half, float16."""

    def operation(self, a, b):
        if a.dtype.kind in "iu" and a.dtype.itemsize == 2:
            quotient = np.trunc(a.astype(np.float16).astype(np.float32) / np.where(b == 0, 1, b).astype(np.float32))
            ends = np.iinfo(a.dtype)
            return np.clip(np.nan_to_num(quotient), ends.min, ends.max).astype(a.dtype)
        return super().operation(a, b)


class SumForDifference:
    """The operands are added."""

    def operation(self, a, b):
        return a + b


class OrForSum:
    """Integers are joined bit by bit, without a carry."""

    def operation(self, a, b):
        return a | b if not is_float(a) else super().operation(a, b)


class UpperHalf:
    """A product of 32 or 64 bits that does not fit into half of them loses what is beyond."""

    def operation(self, a, b):
        found = super().operation(a, b)
        return found.astype(f"{found.dtype.kind}{found.dtype.itemsize // 2}").astype(found.dtype) \
            if found.dtype.kind in "iu" and found.dtype.itemsize > 2 else found
