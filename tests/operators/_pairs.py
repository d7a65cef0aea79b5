"""Implementations of operators on two tensors, element by element, and faults of such kernels as mixins."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs, version_of


def is_float(array: np.ndarray) -> bool:
    """Whether elements are floating-point numbers."""
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def largest(dtype: np.dtype) -> np.generic:
    """The largest finite number of a floating-point type."""
    return dtype.type(3.3895313892515355e38) if dtype.name == "bfloat16" else np.finfo(dtype).max


def smallest_normal(dtype: np.dtype) -> float:
    """Of a floating-point type."""
    return 2.0**-126 if dtype.name == "bfloat16" else float(np.finfo(dtype).smallest_normal)


class Pairs(Implementation):
    """C is computed from A and B."""

    def run(self, request: Request) -> Outputs:
        a, b = self.laid_together(request)
        with np.errstate(all="ignore"):
            return {"C": self.finished(self.result(a, b), a, b)}

    def laid_together(self, request: Request) -> tuple[np.ndarray, np.ndarray]:
        """A and B in one shape."""
        a, b = request.inputs["A"], request.inputs["B"]
        version = version_of(request)
        if 0 < version < 7:
            return (a, self.spread(a, b, request.attributes)) if request.attributes.get("broadcast") else (a, b)
        return self.broadcast(a, b)

    def spread(self, a: np.ndarray, b: np.ndarray, attributes) -> np.ndarray:
        """B in the shape of A, its first axis at the one that the attribute names."""
        if b.size == 1:
            return np.full(a.shape, b.reshape(-1)[0], b.dtype)
        axis = attributes.get("axis", a.ndim - b.ndim)
        return np.broadcast_to(b[(..., *(np.newaxis,) * (a.ndim - axis - b.ndim))], a.shape)

    def broadcast(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each in the shape of both."""
        shape = np.broadcast_shapes(a.shape, b.shape)
        return np.broadcast_to(a, shape), np.broadcast_to(b, shape)

    def result(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """One element of each at a time."""
        raise NotImplementedError

    def finished(self, c: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The output of what was computed."""
        return np.asarray(c)


class IgnoresB:
    """B is never read."""

    def result(self, a, b):
        return super().result(a, a)


class FirstOfB:
    """The first element of B stands for all of them."""

    def result(self, a, b):
        return super().result(a, np.full_like(b, b.reshape(-1)[0])) if b.size else super().result(a, b)


class ReadsSubnormalsAsZero:
    """Subnormal operands count as zero."""

    def result(self, a, b):
        if is_float(a):
            a, b = (np.where(np.abs(x) < x.dtype.type(smallest_normal(x.dtype)), np.copysign(x.dtype.type(0), x), x)
                    for x in (a, b))
        return super().result(a, b)


class DoubleInSingle:
    """float64 is computed in float32."""

    def result(self, a, b):
        if a.dtype == np.float64:
            return super().result(a.astype(np.float32), b.astype(np.float32)).astype(np.float64)
        return super().result(a, b)


class LongsAsDoubles:
    """int64 and uint64 are read as float64, and lose their last digits."""

    def result(self, a, b):
        if a.dtype.kind in "iu" and a.dtype.itemsize == 8:
            a, b = (x.astype(np.float64).astype(object) for x in (a, b))
            ends = np.iinfo(np.int64)
            a, b = (np.array([min(max(int(y), ends.min), ends.max) for y in x.ravel()], np.int64).reshape(x.shape)
                    for x in (a, b))
            return super().result(a, b)
        return super().result(a, b)


class IntsAsSingles:
    """int32 and uint32 are read as float32, and lose their last digits."""

    def result(self, a, b):
        if a.dtype.kind in "iu" and a.dtype.itemsize == 4:
            ends = np.iinfo(a.dtype)
            a, b = (np.clip(x.astype(np.float32).astype(np.float64), ends.min, ends.max).astype(x.dtype)
                    for x in (a, b))
        return super().result(a, b)


class LeavesTheTail:
    """What is left over from blocks of eight is never written, where there are more than sixteen elements."""

    def finished(self, c, a, b):
        found = super().finished(c, a, b).copy()
        if found.size > 16 and found.size % 8:
            found.reshape(-1)[-(found.size % 8):] = 0
        return found


class RepeatsTheFirstPlane:
    """Of three axes or more only the first plane is computed, and repeated."""

    def finished(self, c, a, b):
        found = super().finished(c, a, b).copy()
        if found.ndim >= 3 and found.shape[0] > 1:
            found[1:] = found[:1]
        return found


class ScalarsAsVectors:
    """Tensors without axes give a tensor of one axis."""

    def finished(self, c, a, b):
        return super().finished(c, a, b).reshape(np.shape(c) or (1,))


class WidensShortIntegers:
    """int8, int16, uint8 and uint16 give int32."""

    def finished(self, c, a, b):
        found = super().finished(c, a, b)
        return found.astype(np.int32) if found.dtype.kind in "iu" and found.dtype.itemsize < 4 else found


class WidensHalf:
    """float16 gives float32."""

    def finished(self, c, a, b):
        found = super().finished(c, a, b)
        return found.astype(np.float32) if found.dtype == np.float16 else found


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, c, a, b):
        if not c.size:
            raise ValueError("no elements")
        return super().finished(c, a, b)


class RepeatsInsteadOfBroadcasting:
    """A smaller operand is repeated as it lies in memory, whichever axis has size 1."""

    def broadcast(self, a, b):
        shape = np.broadcast_shapes(a.shape, b.shape)
        return np.resize(a, shape), np.resize(b, shape)


class NoLeadingAxes:
    """Operands of different rank are refused."""

    def broadcast(self, a, b):
        if a.ndim != b.ndim:
            raise ValueError("ranks differ")
        return super().broadcast(a, b)


class ShapeOfA:
    """The output has the shape of A, whatever B adds."""

    def finished(self, c, a, b):
        found = super().finished(c, a, b)
        return np.resize(found, self.shape_of_a) if self.shape_of_a != found.shape else found

    def broadcast(self, a, b):
        self.shape_of_a = a.shape
        return super().broadcast(a, b)

    def spread(self, a, b, attributes):
        self.shape_of_a = a.shape
        return super().spread(a, b, attributes)

    shape_of_a: tuple[int, ...] = ()

    def laid_together(self, request):
        self.shape_of_a = request.inputs["A"].shape
        return super().laid_together(request)


class IgnoresTheAxis:
    """B is aligned at the last axis of A, whatever the attribute says."""

    def spread(self, a, b, attributes):
        if b.size != 1 and a.shape[a.ndim - b.ndim:] == b.shape:
            return np.broadcast_to(b, a.shape)
        if b.size != 1:
            return np.resize(b, a.shape)
        return super().spread(a, b, attributes)
