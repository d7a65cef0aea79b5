"""Implementations of Max and Min and variants as mixins."""

from __future__ import annotations

from functools import reduce

import numpy as np

from plumbline.backends import Request
from tests.operators._pairs import is_float, largest, smallest_normal
from tests.operators.contract import Implementation, Outputs


class Extremum(Implementation):
    """One input after another is compared with what was found so far.

    Of zeros the one that lies further out; NaN where there is one."""

    output, largest = "", True

    def further(self, a, b):
        """bool: where an element of b replaces that of a, both without NaN."""
        return b > a if self.largest else b < a

    def run(self, request: Request) -> Outputs:
        inputs = self.taken(list(request.inputs.values()))
        shape = np.broadcast_shapes(*(found.shape for found in inputs))
        with np.errstate(all="ignore"):
            return {self.output: self.finished(self.joined([self.laid(found, shape) for found in inputs]), request)}

    def taken(self, inputs):
        """The inputs that count."""
        return inputs

    def laid(self, found, shape):
        """One of them in the shape of the output."""
        return np.broadcast_to(found, shape)

    def joined(self, operands):
        """The extremum of tensors of one shape."""
        return reduce(self.pair, operands)

    def pair(self, a, b):
        """The extremum of two."""
        take = self.further(a, b) | (a == b) & self.outer(a, b)
        return np.where((b != b) | take & (a == a), b, a)

    def outer(self, a, b):
        """bool: where of two zeros that of b lies further out; +0 lies above -0."""
        nearer = a if self.largest else b
        return np.signbit(nearer) if a.dtype.kind == "f" else np.zeros(a.shape, bool)

    def finished(self, found, request):
        """The output of what was found."""
        return np.array(found)


class LastZero:
    """Of equal zeros the last is given."""

    def outer(self, a, b):
        return np.ones(a.shape, bool)


class OtherZero:
    """+0 counts as below -0."""

    def outer(self, a, b):
        return ~super().outer(a, b)


class SkipsNan:
    """NaN counts as missing where there is a number."""

    def pair(self, a, b):
        return np.where(a != a, b, np.where(b != b, a, super().pair(a, b)))


class StartsAnewAfterNan:
    """A comparison with NaN is false, and the first operand then stays."""

    def pair(self, a, b):
        return np.where(self.further(a, b) | (a != a), b, a)


class ZeroForNan:
    """NaN is given as zero."""

    def joined(self, operands):
        found = super().joined(operands)
        return np.where(found != found, found.dtype.type(0), found)


class LowestForNan:
    """NaN is given as the lowest finite number."""

    def joined(self, operands):
        found = super().joined(operands)
        return np.where(found != found, -largest(found.dtype), found) if is_float(found) else found


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, found, request):
        if not found.size:
            raise ValueError("no elements")
        return super().finished(found, request)


class ClampsInfinities:
    """Infinities are read as the largest finite numbers."""

    def laid(self, found, shape):
        if is_float(found):
            found = np.where(np.isinf(found), np.copysign(largest(found.dtype), found), found).astype(found.dtype)
        return super().laid(found, shape)


class FlushesSubnormals:
    """Subnormal numbers are read as zero."""

    def laid(self, found, shape):
        if is_float(found):
            small = np.abs(found) < found.dtype.type(smallest_normal(found.dtype))
            found = np.where(small, np.copysign(found.dtype.type(0), found), found)
        return super().laid(found, shape)


class DoubleInSingle:
    """float64 is rounded to float32."""

    def finished(self, found, request):
        found = super().finished(found, request)
        return found.astype(np.float32).astype(np.float64) if found.dtype == np.float64 else found
