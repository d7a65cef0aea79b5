"""Implementations of Clip, and faults in them as mixins."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators._pairs import is_float, largest, smallest_normal
from tests.operators.contract import Implementation, Outputs


class Interval(Implementation):
    """Elements are raised to the minimum first, then lowered to the maximum; a bound that is not given does nothing."""

    def run(self, request: Request) -> Outputs:
        x = self.read(request.inputs["input"])
        with np.errstate(all="ignore"):
            found = self.limited(x, *(self.bound(request, name, x.dtype) for name in ("min", "max")))
        return {"output": self.finished(np.asarray(found, x.dtype))}

    def read(self, x):
        """The elements as they count."""
        return x

    def bound(self, request, name, dtype):
        """A bound in the type of the input; None where it is not given."""
        if name in request.inputs:
            return request.inputs[name].reshape(())
        return np.float32(request.attributes[name]).astype(dtype) if name in request.attributes else None

    def limited(self, x, low, high):
        """The elements between two bounds."""
        return self.lowered(self.raised(x, low), high)

    def raised(self, x, low):
        """The elements, or the minimum."""
        return x if low is None else np.where(x < low, low, x)

    def lowered(self, x, high):
        """The elements, or the maximum."""
        return x if high is None else np.where(x > high, high, x)

    def finished(self, found):
        """The output of what was found."""
        return found


class ByDefaults:
    """A bound that is not given is the lowest or the largest finite number."""

    def bound(self, request, name, dtype):
        found = super().bound(request, name, dtype)
        if found is not None:
            return found
        sign = -1 if name == "min" else 1
        if dtype.kind in "iu":
            return np.array(np.iinfo(dtype).min if sign < 0 else np.iinfo(dtype).max, dtype)
        return np.array(sign * float(largest(dtype)), dtype)


class ByMinAndMax:
    """The minimum with NaN passed over, of the maximum likewise."""

    def raised(self, x, low):
        return x if low is None else np.fmax(x, low)

    def lowered(self, x, high):
        return x if high is None else np.fmin(x, high)


class NanSpreads:
    """A bound that is NaN makes every element NaN."""

    def raised(self, x, low):
        return super().raised(x, low) if low is None or low == low else np.full_like(x, np.nan)

    def lowered(self, x, high):
        return super().lowered(x, high) if high is None or high == high else np.full_like(x, np.nan)


class MaximumFirst:
    """The maximum is applied before the minimum, which then prevails."""

    def limited(self, x, low, high):
        return self.raised(self.lowered(x, high), low)


class NanStaysAlways:
    """NaN stays even where the bounds are the wrong way round."""

    def limited(self, x, low, high):
        return np.where(x != x, x, super().limited(x, low, high))


class SwapsBounds:
    """Bounds that are the wrong way round are exchanged."""

    def limited(self, x, low, high):
        if low is not None and high is not None and low > high:
            low, high = high, low
        return super().limited(x, low, high)


class NoMinimum:
    """The minimum is not applied."""

    def raised(self, x, low):
        return x


class NoMaximum:
    """The maximum is not applied."""

    def lowered(self, x, high):
        return x


class ZeroForLow:
    """Elements below the minimum become zero."""

    def raised(self, x, low):
        return x if low is None else np.where(x < low, x.dtype.type(0), x)


class DefaultsOfSixBits:
    """A maximum that is not given is 6."""

    def lowered(self, x, high):
        return np.where(x > x.dtype.type(6), x.dtype.type(6), x) if high is None else super().lowered(x, high)


class MinimumOfZero:
    """A minimum that is not given is 0."""

    def raised(self, x, low):
        return np.where(x < x.dtype.type(0), x.dtype.type(0), x) if low is None else super().raised(x, low)


class DefaultsOfSingle:
    """A bound that is not given is that of float32, for float64 too."""

    def limited(self, x, low, high):
        if x.dtype == np.float64:
            top = np.float64(np.finfo(np.float32).max)
            low, high = -top if low is None else low, top if high is None else high
        return super().limited(x, low, high)


class ZeroForNan:
    """NaN is given as zero."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found != found, found.dtype.type(0), found)


class LowForNan:
    """NaN becomes the minimum."""

    def raised(self, x, low):
        return x if low is None else np.where(x >= low, x, low)


class NanBoundIsZero:
    """A bound that is NaN counts as zero."""

    def bound(self, request, name, dtype):
        found = super().bound(request, name, dtype)
        return found if found is None or found == found else np.zeros((), dtype)


class OtherZeros:
    """Zeros have the other sign."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found == 0, -found, found) if is_float(found) else found


class PositiveZeros:
    """Zeros are positive."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found == 0, found.dtype.type(0), found)


class ZerosOfTheBounds:
    """A zero inside the interval becomes a bound that is a zero, with its sign."""

    def raised(self, x, low):
        return x if low is None else np.where(x <= low, low, x)

    def lowered(self, x, high):
        return x if high is None else np.where(x >= high, high, x)


class FlushesSubnormals:
    """Subnormal numbers are read as zero."""

    def read(self, x):
        if not is_float(x):
            return super().read(x)
        return np.where(np.abs(x) < x.dtype.type(smallest_normal(x.dtype)), x.dtype.type(0), x)


class DoubleInSingle:
    """float64 is rounded to float32."""

    def finished(self, found):
        found = super().finished(found)
        with np.errstate(over="ignore"):
            return found.astype(np.float32).astype(np.float64) if found.dtype == np.float64 else found


class LongsAsDoubles:
    """int64 and uint64 go through float64."""

    def finished(self, found):
        found = super().finished(found)
        if found.dtype.kind not in "iu" or found.dtype.itemsize < 8:
            return found
        return np.minimum(found.astype(np.float64), float(2**63 - 2**11)).astype(found.dtype)


class UnsignedAsSigned:
    """Unsigned integers are limited as signed ones."""

    def limited(self, x, low, high):
        if x.dtype.kind != "u":
            return super().limited(x, low, high)
        signed = f"int{8 * x.dtype.itemsize}"
        low, high = (None if bound is None else np.asarray(bound).view(signed) for bound in (low, high))
        return super().limited(np.array(x).view(signed), low, high).view(x.dtype)


class LeavesTheTail:
    """What is left over from blocks of eight is not limited, where there are more than sixteen elements."""

    def limited(self, x, low, high):
        found = np.array(super().limited(x, low, high))
        if found.size > 16 and found.size % 8:
            tail = found.size - found.size % 8
            found.reshape(-1)[tail:] = x.reshape(-1)[tail:]
        return found


class RepeatsTheFirstPlane:
    """Of three axes or more only the first plane is limited, and repeated."""

    def finished(self, found):
        found = np.array(super().finished(found))
        if found.ndim >= 3 and found.shape[0] > 1:
            found[1:] = found[:1]
        return found


class Strict:
    """The elements become the largest number below the maximum."""

    def lowered(self, x, high):
        if high is None or x.dtype.kind != "f":
            return super().lowered(x, high)
        return np.where(x > high, np.nextafter(high, x.dtype.type(-np.inf)), x)


class ScalarsAsVectors:
    """Tensors without axes give a tensor of one axis."""

    def finished(self, found):
        return super().finished(found).reshape(found.shape or (1,))


class WidensHalf:
    """float16 gives float32."""

    def finished(self, found):
        found = super().finished(found)
        return found.astype(np.float32) if found.dtype == np.float16 else found


class NarrowsDouble:
    """float64 gives float32."""

    def finished(self, found):
        found = super().finished(found)
        with np.errstate(over="ignore"):
            return found.astype(np.float32) if found.dtype == np.float64 else found


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, found):
        if not found.size:
            raise ValueError("no elements")
        return super().finished(found)


class RefusesWrongWayRound:
    """A minimum above the maximum is refused."""

    def limited(self, x, low, high):
        if low is not None and high is not None and low > high:
            raise ValueError("min > max")
        return super().limited(x, low, high)


class NeedsBoth:
    """A bound that is not given is refused."""

    def limited(self, x, low, high):
        if low is None or high is None:
            raise ValueError("two bounds")
        return super().limited(x, low, high)


class GivesNothing:
    """The output is not given."""

    def run(self, request):
        super().run(request)
        return {}
