"""Mutants that compare something else than the values, or pass the maximum through another type."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.power.implementation import Pooling, lowest
from tests.power.mutant import MAX, breaks

# What is compared


@breaks("Y.F1", "Indices.F1", of=MAX)
class Minimum(Pooling):
    """The minimum is chosen."""

    def keys(self):
        return -self.values.astype(np.float64)


@breaks("Y.F1", "Indices.F1", of=MAX)
class LargestMagnitude(Pooling):
    """The value of the largest magnitude is chosen."""

    def keys(self):
        return np.abs(self.values.astype(np.float64))


@breaks("Y.F1", of=MAX)
class ComparesInSingle(Pooling):
    """Values are compared in float32, and the first of those equal there is chosen."""

    def keys(self):
        return self.values.astype(np.float32)


@breaks("Y.F1", of=MAX)
class ComparesInHalf(Pooling):
    """Values are compared in float16, and the first of those equal there is chosen."""

    def keys(self):
        return self.values.astype(np.float16)


@breaks("Y.F1", of=MAX)
class ComparesWholeNumbers(Pooling):
    """Values are compared without their fractions."""

    def keys(self):
        return np.trunc(self.values.astype(np.float64))


@breaks("Y.F1", of=MAX)
class ComparesWithoutSign(Pooling):
    """int8 is compared as uint8."""

    def keys(self):
        return self.values.view(np.uint8) if self.dtype == np.int8 else self.values


@breaks("Y.F1", of=MAX)
class ComparesWithSign(Pooling):
    """uint8 is compared as int8."""

    def keys(self):
        return self.values.view(np.int8) if self.dtype == np.uint8 else self.values


@breaks("Y.F1", of=MAX)
class ComparesBits(Pooling):
    """Floating-point numbers are compared by their bits as integers, which puts negative ones in reverse."""

    def keys(self):
        bits = {"float16": np.int16, "float32": np.int32, "float64": np.int64}.get(self.dtype.name)
        return self.values.view(bits) if bits else self.values


@breaks("Y.F1", of=MAX, source="https://github.com/apache/mxnet/issues/9007")
class NegativeHalvesAreEqual(Pooling):
    """Negative numbers of float16 are compared as 0."""

    def keys(self):
        return np.maximum(self.values, 0) if self.dtype == np.float16 else self.values


@breaks("Y.F1", of=MAX)
class ComparesWithoutSubnormals(Pooling):
    """Subnormal numbers are compared as 0."""

    def keys(self):
        if self.dtype.kind != "f":
            return self.values
        return np.where(np.abs(self.values) < ml_dtypes.finfo(self.dtype).tiny, 0, self.values).astype(self.dtype)


@breaks("Y.F1", of=MAX)
class InfinityIsNoNumber(Pooling):
    """+inf is passed over as NaN is."""

    @property
    def candidates(self):
        return super().candidates & (self.values != np.inf)


@breaks("Y.F1", of=MAX)
class ComparesSixDecimals(Pooling):
    """Values are compared with six decimals."""

    def keys(self):
        return np.round(self.values.astype(np.float64), 6)


@breaks("Y.F1", of=MAX)
class SearchNotReset(Pooling):
    """The search for a maximum goes on from the window before."""

    def maximum(self, tap):
        return np.maximum.accumulate(super().maximum(tap), axis=1)


@breaks("Y.F1", of=MAX)
class SearchNotResetBetweenPlanes(Pooling):
    """The search for a maximum in a plane goes on from the plane before."""

    def maximum(self, tap):
        return np.maximum.accumulate(super().maximum(tap), axis=0)


@breaks("Y.F1", of=MAX)
class MaximumOfThePlane(Pooling):
    """The maximum is that of the whole plane."""

    def maximum(self, tap):
        return np.broadcast_to(super().maximum(tap).max(axis=1, keepdims=True, initial=lowest(self.dtype)), tap.shape)


@breaks("Y.F1", of=MAX)
class SecondLargest(Pooling):
    """The second largest value is given, where the window holds several."""

    def maximum(self, tap):
        taken = self.candidates & (np.arange(self.mask.shape[1]) != tap[..., None])
        rest = np.where(taken, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(taken.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


# What it passes through


@breaks("Y.F1", of=MAX)
class YPassesThroughHalf(Pooling):
    """Y passes through float16."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return y.astype(np.float16) if self.dtype.kind == "f" else y


@breaks("Y.F1", of=MAX)
class YPassesThroughSingle(Pooling):
    """Y passes through float32."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return y.astype(np.float32) if self.dtype.kind == "f" else y


@breaks("Y.F1", of=MAX)
class BytesCutOff(Pooling):
    """Y of uint8 is cut off at 127."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.minimum(y, 127) if self.dtype == np.uint8 else y


@breaks("Y.F1", of=MAX, source="bfloat16 made by dropping the low half of float32")
class YPassesThroughBrainFloat(Pooling):
    """Y of float32 keeps its upper 16 bits."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return (y.view(np.uint32) & 0xFFFF0000).view(np.float32) if self.dtype == np.float32 else y


@breaks("Y.F1", of=MAX)
class SubnormalsFlushed(Pooling):
    """Subnormal values of Y become 0."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.where(np.abs(y) < ml_dtypes.finfo(self.dtype).tiny, 0, y) if self.dtype.kind == "f" else y


@breaks("Y.F1", of=MAX)
class InfinitiesCutOff(Pooling):
    """+inf becomes the largest finite value."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.minimum(y, ml_dtypes.finfo(self.dtype).max) if self.dtype.kind == "f" else y


@breaks("Y.F2", of=MAX)
class BytesAnsweredInInt32(Pooling):
    """Y of int8 and uint8 is int32."""

    def finish(self, y):
        return super().finish(y).astype(np.int32 if self.dtype.kind in "iu" else self.dtype)


@breaks("Y.F2", of=MAX)
class SignedBytesAnsweredWithoutSign(Pooling):
    """Y of int8 is uint8."""

    def finish(self, y):
        return super().finish(y).astype(np.uint8 if self.dtype == np.int8 else self.dtype)
