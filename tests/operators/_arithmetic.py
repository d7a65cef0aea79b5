"""Implementations of addition, subtraction, multiplication and division and variants as mixins."""

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
        return np.asarray(np.clip(exact, ends.min, ends.max), dtype=a.dtype)


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


class HalfOfSingle:
    """float32 is computed in bfloat16's digits: the last sixteen bits of the result are lost."""

    def result(self, a, b):
        found = super().result(a, b)
        if found.dtype != np.float32:
            return found
        cut = (np.ascontiguousarray(found).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isfinite(found), cut, found)
