"""Implementations of operators on two tensors, element by element and variants as mixins."""

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


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, c, a, b):
        if not c.size:
            raise ValueError("no elements")
        return super().finished(c, a, b)
