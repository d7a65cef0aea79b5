"""Implementations of operators on one tensor X, element by element, and faults of such kernels as mixins."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators._pairs import is_float, largest, smallest_normal
from tests.operators.contract import Implementation, Outputs


class Elements(Implementation):
    """Y is computed from X."""

    def run(self, request: Request) -> Outputs:
        x = self.read(request.inputs["X"])
        with np.errstate(all="ignore"):
            return {"Y": self.finished(self.of_request(x, request))}

    def read(self, x):
        """The input as it counts."""
        return x

    def of_request(self, x, request):
        """The elements of the output."""
        return self.result(x)

    def result(self, x):
        """Of each element."""
        raise NotImplementedError

    def finished(self, y):
        """The output of what was computed."""
        return np.asarray(y)


class ReadsSubnormalsAsZero:
    """Subnormal numbers count as zero."""

    def read(self, x):
        if not is_float(x):
            return super().read(x)
        with np.errstate(invalid="ignore"):  # bfloat16 warns of NaN
            small = np.abs(x) < x.dtype.type(smallest_normal(x.dtype))
        return np.where(small, np.copysign(x.dtype.type(0), x), x)


class ClampsInfinities:
    """Infinities count as the largest finite numbers."""

    def read(self, x):
        return np.where(np.isinf(x), np.copysign(largest(x.dtype), x), x).astype(x.dtype) if is_float(x) else x


class ZeroForNan:
    """NaN is given as zero."""

    def finished(self, y):
        y = super().finished(y)
        return np.where(y != y, y.dtype.type(0), y)


class LowestForNan:
    """NaN counts as the lowest number."""

    def read(self, x):
        return np.where(x != x, -largest(x.dtype), x).astype(x.dtype) if is_float(x) else x


class OtherZeros:
    """Zeros have the other sign."""

    def finished(self, y):
        y = super().finished(y)
        return np.where(y == 0, -y, y) if is_float(y) else y


class PositiveZeros:
    """Zeros are positive."""

    def finished(self, y):
        y = super().finished(y)
        return np.where(y == 0, y.dtype.type(0), y) if is_float(y) else y


class NegativeZeros:
    """Zeros are negative."""

    def finished(self, y):
        y = super().finished(y)
        return np.where(y == 0, np.copysign(y, y.dtype.type(-1)), y) if is_float(y) else y


class DoubleInSingle:
    """float64 is rounded to float32."""

    def finished(self, y):
        y = super().finished(y)
        return y.astype(np.float32).astype(np.float64) if y.dtype == np.float64 else y


class HalfOfSingle:
    """float32 loses the last sixteen bits."""

    def finished(self, y):
        y = super().finished(y)
        if y.dtype != np.float32:
            return y
        cut = (np.ascontiguousarray(y).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32).reshape(y.shape)
        return np.where(np.isfinite(y), cut, y)


class LeavesTheTail:
    """What is left over from blocks of eight is never written, where there are more than sixteen elements."""

    def finished(self, y):
        y = np.array(super().finished(y))
        if y.size > 16 and y.size % 8:
            y.reshape(-1)[-(y.size % 8):] = -1 if y.dtype.kind != "u" else 255
        return y


class RepeatsTheFirstPlane:
    """Of three axes or more only the first plane is computed, and repeated."""

    def finished(self, y):
        y = np.array(super().finished(y))
        if y.ndim >= 3 and y.shape[0] > 1:
            y[1:] = y[:1]
        return y


class ScalarsAsVectors:
    """Tensors without axes give a tensor of one axis."""

    def finished(self, y):
        return super().finished(y).reshape(np.shape(y) or (1,))


class Flattened:
    """The output has one axis."""

    def finished(self, y):
        return super().finished(y).reshape(-1)


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, y):
        if not np.size(y):
            raise ValueError("no elements")
        return super().finished(y)


class WidensHalf:
    """float16 gives float32."""

    def finished(self, y):
        y = super().finished(y)
        return y.astype(np.float32) if y.dtype == np.float16 else y


class NarrowsDouble:
    """float64 gives float32."""

    def finished(self, y):
        y = super().finished(y)
        return y.astype(np.float32) if y.dtype == np.float64 else y


class GivesNothing:
    """The output is not given."""

    def run(self, request):
        super().run(request)
        return {}


class Identity:
    """X is given."""

    def result(self, x):
        return x


class LongsAsDoubles:
    """int64 and uint64 are read as float64, and lose their last digits."""

    def finished(self, y):
        y = super().finished(y)
        if y.dtype.kind not in "iu" or y.dtype.itemsize < 8:
            return y
        return np.minimum(y.astype(np.float64), float(2**63 - 2**11)).astype(y.dtype)


class WidensShortIntegers:
    """int8, int16, uint8 and uint16 give int32."""

    def finished(self, y):
        y = super().finished(y)
        return y.astype(np.int32) if y.dtype.kind in "iu" and y.dtype.itemsize < 4 else y


class UnsignedAsSigned:
    """Unsigned integers count as signed ones."""

    def result(self, x):
        if x.dtype.kind != "u":
            return super().result(x)
        return super().result(np.array(x).view(f"int{8 * x.dtype.itemsize}")).view(x.dtype)


class Saturates:
    """The lowest integer gives the highest."""

    def result(self, x):
        y = super().result(x)
        return np.where(x == np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, y).astype(x.dtype) \
            if x.dtype.kind == "i" else y


class NegatesNegativeZeroOnly:
    """The sign of -0 stays."""

    def result(self, x):
        y = super().result(x)
        return np.where(x == 0, x, y) if is_float(x) else y


class OnesComplement:
    """Negative integers have their bits turned, without adding one."""

    def result(self, x):
        return np.where(x < 0, ~x, x) if x.dtype.kind == "i" else super().result(x)


class RootOfTheMagnitude:
    """Negative numbers have the root of their magnitude."""

    def result(self, x):
        return super().result(np.where(x < 0, -x, x))


class ZeroBelowZero:
    """Negative numbers have the root 0."""

    def result(self, x):
        return super().result(np.where(x < 0, x.dtype.type(0), x))


class NegativeRoots:
    """The other root is given."""

    def result(self, x):
        y = super().result(x)
        return np.where(x > 0, -y, y)


class HalvesRoots:
    """Half of each root is given."""

    def result(self, x):
        return (super().result(x) / x.dtype.type(2)).astype(x.dtype)


class RootByReciprocal:
    """The root is one divided by the reciprocal root, NaN of a zero."""

    def result(self, x):
        return np.where(x == 0, x * x.dtype.type(np.inf), x.dtype.type(1) / (x.dtype.type(1) / super().result(x)))


class InfinityOfZero:
    """The root of a zero is infinite, as X times its reciprocal root may be."""

    def result(self, x):
        y = super().result(x)
        return np.where(x == 0, x.dtype.type(np.inf), y)


class NanOfNegativeZero:
    """-0 counts as below zero."""

    def result(self, x):
        return np.where(np.signbit(x), x.dtype.type(np.nan), super().result(x))


class NanOfInfinity:
    """The root of an infinity is NaN."""

    def result(self, x):
        return np.where(np.isinf(x), x.dtype.type(np.nan), super().result(x))


class OverflowsAtTheEnd:
    """The largest numbers have an infinite root."""

    def result(self, x):
        y = super().result(x)
        return np.where(x >= largest(x.dtype), x.dtype.type(np.inf), y)


class NanOfSubnormals:
    """Subnormal numbers have no root."""

    def result(self, x):
        y = super().result(x)
        small = (x > 0) & (x < x.dtype.type(smallest_normal(x.dtype)))
        return np.where(small, x.dtype.type(np.nan), y)


class TowardsZero:
    """Roots are rounded towards zero."""

    def result(self, x):
        y = super().result(x)
        if y.dtype not in (np.float16, np.float32):
            return y
        exact = np.sqrt(x.astype(np.float64))
        return np.where(y.astype(np.float64) > exact, np.nextafter(y, y.dtype.type(0)), y)


class OneStepTooHigh:
    """Roots of numbers above 1 are the next number above."""

    def result(self, x):
        y = super().result(x)
        return np.where((x > 1) & np.isfinite(x), np.nextafter(y, y.dtype.type(np.inf)), y) \
            if y.dtype.kind == "f" else y
