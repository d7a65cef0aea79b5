"""Implementations of Where and variants as mixins."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators._pairs import is_float, largest, smallest_normal
from tests.operators.contract import Implementation, Outputs


class Selection(Implementation):
    """One of two elements, by a condition."""

    def run(self, request: Request) -> Outputs:
        condition, x, y = self.laid_together(*request.inputs.values())
        return {"output": self.finished(self.chosen(condition, x, y))}

    def laid_together(self, condition, x, y):
        """All three in one shape."""
        shape = np.broadcast_shapes(condition.shape, x.shape, y.shape)
        return tuple(np.broadcast_to(tensor, shape) for tensor in (condition, x, y))

    def chosen(self, condition, x, y):
        """Of each place."""
        found = np.array(y)
        found[condition] = x[condition]
        return found

    def finished(self, found):
        """The output of what was chosen."""
        return found


class OtherNan:
    """NaN is given with another sign."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found != found, np.copysign(found, found.dtype.type(-1)), found) \
            if found.dtype.kind == "f" else found


class ZeroForNan:
    """NaN is given as zero."""

    def finished(self, found):
        found = super().finished(found)
        return np.where(found != found, found.dtype.type(0), found) if is_float(found) else found


class ClampsInfinities:
    """Infinities are given as the largest finite numbers."""

    def finished(self, found):
        found = super().finished(found)
        if not is_float(found):
            return found
        return np.where(np.isinf(found), np.copysign(largest(found.dtype), found), found).astype(found.dtype)


class FlushesSubnormals:
    """Subnormal numbers are given as zero."""

    def finished(self, found):
        found = super().finished(found)
        if not is_float(found):
            return found
        small = np.abs(found) < found.dtype.type(smallest_normal(found.dtype))
        return np.where(small, found.dtype.type(0), found)


class DoubleInSingle:
    """float64 is copied through float32."""

    def finished(self, found):
        with np.errstate(over="ignore"):
            return super().finished(found).astype(np.float32).astype(np.float64) \
                if found.dtype == np.float64 else super().finished(found)


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, found):
        if not found.size:
            raise ValueError("no elements")
        return super().finished(found)
