"""Implementations of Where, and faults in them as mixins."""

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


class TheOther:
    """The element of Y is given where the condition is true."""

    def chosen(self, condition, x, y):
        return super().chosen(~condition, x, y)


class AlwaysX:
    """The condition is not read."""

    def chosen(self, condition, x, y):
        return np.array(x)


class AlwaysY:
    """X is not read."""

    def chosen(self, condition, x, y):
        return np.array(y)


class FirstCondition:
    """The first truth value stands for all."""

    def chosen(self, condition, x, y):
        return np.array(x if condition.size and condition.reshape(-1)[0] else y)


class ByArithmetic:
    """The choice is a sum of products with 0 and 1: NaN and infinities that are not chosen spread."""

    def chosen(self, condition, x, y):
        if not is_float(x):
            return super().chosen(condition, x, y)
        with np.errstate(all="ignore"):
            return condition.astype(x.dtype) * x + (~condition).astype(x.dtype) * y


class AddsZero:
    """Zero is added to what is chosen: -0 becomes +0."""

    def finished(self, found):
        found = super().finished(found)
        return found + found.dtype.type(0) if is_float(found) else found


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


class LongsAsDoubles:
    """int64 and uint64 are copied through float64."""

    def finished(self, found):
        found = super().finished(found)
        if found.dtype.kind not in "iu" or found.dtype.itemsize < 8:
            return found
        return np.minimum(found.astype(np.float64), float(2**63 - 2**11)).astype(found.dtype)


class ShortsAsBytes:
    """int16 and uint16 lose their upper byte."""

    def finished(self, found):
        found = super().finished(found)
        return found & found.dtype.type(255) if found.dtype.name in ("int16", "uint16") else found


class LeavesTheTail:
    """What is left over from blocks of eight is taken from X, where there are more than sixteen elements."""

    def chosen(self, condition, x, y):
        found = super().chosen(condition, x, y)
        if found.size > 16 and found.size % 8:
            tail = found.size - found.size % 8
            found.reshape(-1)[tail:] = x.reshape(-1)[tail:]
        return found


class RepeatsTheFirstPlane:
    """Of three axes or more only the first plane is chosen, and repeated."""

    def finished(self, found):
        found = super().finished(found)
        if found.ndim >= 3 and found.shape[0] > 1:
            found = found.copy()
            found[1:] = found[:1]
        return found


class RepeatsTheCondition:
    """A smaller condition is repeated as it lies in memory."""

    def laid_together(self, condition, x, y):
        laid, x_laid, y_laid = super().laid_together(condition, x, y)
        return np.resize(condition, laid.shape) if laid.size else laid, x_laid, y_laid


class ShapeOfX:
    """The output has the shape of X."""

    shape_of_x: tuple[int, ...] = ()

    def laid_together(self, condition, x, y):
        self.shape_of_x = x.shape
        return super().laid_together(condition, x, y)

    def finished(self, found):
        return np.resize(super().finished(found), self.shape_of_x)


class NoBroadcasting:
    """Inputs of different shapes are refused."""

    def laid_together(self, condition, x, y):
        if not condition.shape == x.shape == y.shape:
            raise ValueError("shapes differ")
        return super().laid_together(condition, x, y)


class ScalarsAsVectors:
    """Tensors without axes give a tensor of one axis."""

    def finished(self, found):
        return super().finished(found).reshape(found.shape or (1,))


class RefusesEmpty:
    """Tensors without elements are refused."""

    def finished(self, found):
        if not found.size:
            raise ValueError("no elements")
        return super().finished(found)


class WidensHalf:
    """float16 gives float32."""

    def finished(self, found):
        found = super().finished(found)
        return found.astype(np.float32) if found.dtype == np.float16 else found


class WidensShortIntegers:
    """int8, int16, uint8 and uint16 give int32."""

    def finished(self, found):
        found = super().finished(found)
        return found.astype(np.int32) if found.dtype.kind in "iu" and found.dtype.itemsize < 4 else found


class GivesNothing:
    """The output is not given."""

    def run(self, request):
        super().run(request)
        return {}


class ConjugatesComplex:
    """The imaginary part of a complex number changes its sign."""

    def finished(self, found):
        return np.conj(super().finished(found)) if found.dtype.kind == "c" else super().finished(found)


class RealPartAlone:
    """The imaginary part of a complex number is lost."""

    def finished(self, found):
        found = super().finished(found)
        return found.real.astype(found.dtype) if found.dtype.kind == "c" else found
