"""Implementations of Clip and variants as mixins."""

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


class NanStaysAlways:
    """NaN stays even where the bounds are the wrong way round."""

    def limited(self, x, low, high):
        return np.where(x != x, x, super().limited(x, low, high))


class ZeroForNan:
    """NaN is given as zero."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found != found, found.dtype.type(0), found)


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


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, found):
        if not found.size:
            raise ValueError("no elements")
        return super().finished(found)
