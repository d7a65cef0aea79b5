"""Faults of comparisons as mixins, for implementations on pairs."""

from __future__ import annotations

import numpy as np

from tests.operators._pairs import Pairs, is_float, smallest_normal


class Comparison(Pairs):
    """A is compared with B."""

    def result(self, a, b):
        return np.asarray(self.compared(a, b))

    def compared(self, a, b):
        """bool, of each pair."""
        raise NotImplementedError


class OrEqual:
    """Equal elements count as below."""

    def compared(self, a, b):
        return super().compared(a, b) | (a == b)


class Greater:
    """A is above B."""

    def compared(self, a, b):
        return super().compared(b, a)


class NotGreaterOrEqual:
    """The comparison is the opposite of 'above or equal', and NaN thus below."""

    def compared(self, a, b):
        return ~(super().compared(b, a) | (a == b))


class NanIsLowest:
    """NaN is below every number."""

    def compared(self, a, b):
        return super().compared(a, b) | (a != a) & (b == b)


class NanIsHighest:
    """NaN is above every number."""

    def compared(self, a, b):
        return super().compared(a, b) | (a == a) & (b != b)


class NegativeZeroIsBelow:
    """-0 is below +0."""

    def compared(self, a, b):
        zeros = (a == 0) & (b == 0) & np.signbit(a) & ~np.signbit(b) if is_float(a) else np.zeros(a.shape, bool)
        return super().compared(a, b) | zeros


class BySubtraction:
    """The sign of the wrapped or infinite difference decides."""

    def compared(self, a, b):
        return (a - b).view(f"int{8 * a.dtype.itemsize}") < 0 if a.dtype.kind in "iu" else a - b < 0


class UnsignedAsSigned:
    """Unsigned integers are compared as signed ones."""

    def compared(self, a, b):
        if a.dtype.kind == "u":
            a, b = (np.array(x).view(f"int{8 * x.dtype.itemsize}") for x in (a, b))
        return super().compared(a, b)


class InSingle:
    """float64 is compared in float32."""

    def compared(self, a, b):
        if a.dtype == np.float64:
            a, b = a.astype(np.float32), b.astype(np.float32)
        return super().compared(a, b)


class LongsInDouble:
    """int64 and uint64 are compared in float64."""

    def compared(self, a, b):
        if a.dtype.kind in "iu" and a.dtype.itemsize == 8:
            a, b = a.astype(np.float64), b.astype(np.float64)
        return super().compared(a, b)


class IntsInSingle:
    """int32 and uint32 are compared in float32."""

    def compared(self, a, b):
        if a.dtype.kind in "iu" and a.dtype.itemsize == 4:
            a, b = a.astype(np.float32), b.astype(np.float32)
        return super().compared(a, b)


class NoSubnormals:
    """Subnormal numbers count as zero."""

    def compared(self, a, b):
        if is_float(a):
            a, b = (np.where(np.abs(x) < x.dtype.type(smallest_normal(x.dtype)), x.dtype.type(0), x) for x in (a, b))
        return super().compared(a, b)


class Magnitudes:
    """The magnitudes are compared."""

    def compared(self, a, b):
        return super().compared(np.abs(a), np.abs(b)) if is_float(a) else super().compared(a, b)


class GivesBytes:
    """The output is uint8."""

    def finished(self, c, a, b):
        return super().finished(c, a, b).astype(np.uint8)


class GivesTheTypeOfA:
    """The output has the type of A, 1 for true."""

    def finished(self, c, a, b):
        return super().finished(c, a, b).astype(a.dtype)


class TrueAtTheTail:
    """What is left over from blocks of eight is true, where there are more than sixteen elements."""

    def finished(self, c, a, b):
        found = np.array(super().finished(c, a, b))
        if found.size > 16 and found.size % 8:
            found.reshape(-1)[-(found.size % 8):] = True
        return found
