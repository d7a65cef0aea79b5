"""Implementations of Max and Min, and faults in them as mixins."""

from __future__ import annotations

from functools import reduce

import numpy as np

from plumbline.backends import Request
from tests.operators._pairs import is_float, largest, smallest_normal
from tests.operators.contract import Implementation, Outputs, version_of


class Extremum(Implementation):
    """One input after another is compared with what was found so far."""

    output = ""

    def further(self, a, b):
        """bool: where an element of b replaces that of a, both without NaN."""
        raise NotImplementedError

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
        """bool: where of two zeros that of b lies further out."""
        return np.zeros(a.shape, bool)

    def finished(self, found, request):
        """The output of what was found."""
        return np.array(found)


class FirstZero:
    """Of equal zeros the first stays."""

    def outer(self, a, b):
        return np.zeros(a.shape, bool)


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


class OtherEnd:
    """The other extremum is given."""

    def further(self, a, b):
        return (a != b) & ~super().further(a, b)


class FirstAlone:
    """The first input is given."""

    def joined(self, operands):
        return operands[0]


class TwoAlone:
    """Inputs from the third on are not read, but for their shape."""

    def joined(self, operands):
        return super().joined(operands[:2])


class SkipsTheLast:
    """The last of three inputs or more is not read, but for its shape."""

    def joined(self, operands):
        return super().joined(operands[:-1] if len(operands) > 2 else operands)


class RefusesOne:
    """A single input is refused."""

    def taken(self, inputs):
        if len(inputs) < 2:
            raise ValueError("two inputs at least")
        return inputs


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


class LongsAsDoubles:
    """int64 and uint64 are compared and given as float64."""

    def finished(self, found, request):
        found = super().finished(found, request)
        if found.dtype.kind not in "iu" or found.dtype.itemsize < 8:
            return found
        return np.minimum(found.astype(np.float64), float(2**63 - 2**11)).astype(found.dtype)


class UnsignedAsSigned:
    """Unsigned integers are compared as signed ones."""

    def further(self, a, b):
        if a.dtype.kind == "u":
            a, b = (np.ascontiguousarray(x).view(f"int{8 * x.dtype.itemsize}") for x in (a, b))
        return super().further(a, b)


class RepeatsInsteadOfBroadcasting:
    """A smaller input is repeated as it lies in memory, whichever axis has size 1."""

    def laid(self, found, shape):
        return np.resize(found, shape) if found.size else super().laid(found, shape)


class NoLeadingAxes:
    """Inputs of different rank are refused."""

    def taken(self, inputs):
        if len({found.ndim for found in inputs}) > 1:
            raise ValueError("ranks differ")
        return super().taken(inputs)


class ShapeOfTheFirst:
    """The output has the shape of the first input."""

    def finished(self, found, request):
        return np.resize(super().finished(found, request), request.inputs["data_0"].shape)


class ScalarsAsVectors:
    """Tensors without axes give a tensor of one axis."""

    def finished(self, found, request):
        return super().finished(found, request).reshape(found.shape or (1,))


class LeavesTheTail:
    """What is left over from blocks of eight is never compared, where there are more than sixteen elements."""

    def joined(self, operands):
        found = np.array(super().joined(operands))
        if found.size > 16 and found.size % 8:
            tail = found.size - found.size % 8
            found.reshape(-1)[tail:] = operands[0].reshape(-1)[tail:]
        return found


class RepeatsTheFirstPlane:
    """Of three axes or more only the first plane is computed, and repeated."""

    def finished(self, found, request):
        found = super().finished(found, request)
        if found.ndim >= 3 and found.shape[0] > 1:
            found[1:] = found[:1]
        return found


class WidensShortIntegers:
    """int8, int16, uint8 and uint16 give int32."""

    def finished(self, found, request):
        found = super().finished(found, request)
        return found.astype(np.int32) if found.dtype.kind in "iu" and found.dtype.itemsize < 4 else found


class WidensHalf:
    """float16 gives float32."""

    def finished(self, found, request):
        found = super().finished(found, request)
        return found.astype(np.float32) if found.dtype == np.float16 else found


class GivesNothing:
    """The output is not given from version 8 on."""

    def run(self, request):
        return super().run(request) if 0 < version_of(request) < 8 else {}
