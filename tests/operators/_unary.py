"""Implementations of operators on one tensor X, element by element and variants as mixins."""

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


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, y):
        if not np.size(y):
            raise ValueError("no elements")
        return super().finished(y)


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


class OneStepTooHigh:
    """Roots of numbers above 1 are the next number above."""

    def result(self, x):
        y = super().result(x)
        return np.where((x > 1) & np.isfinite(x), np.nextafter(y, y.dtype.type(np.inf)), y) \
            if y.dtype.kind == "f" else y
