"""Mutants that find another maximum: constants of padding, starts of the search, NaN."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.power.implementation import Pooling, at_tap, lowest
from tests.power.mutant import MAX, breaks

# What padding counts as, and what the search starts from


class Floored(Pooling):
    """For mutants: Y is at least `floor()`, where it holds; Indices are right."""

    def floor(self) -> float | int:
        """The value."""
        return lowest(self.dtype)

    def floored(self) -> np.ndarray | bool:
        """Where: an array (windows,) or a bool."""
        return True

    def maximum(self, tap):
        """Y by the floor; where the window holds NaN it is as it was."""
        y = super().maximum(tap)
        below = self.floored() & (y < self.floor())
        return np.where(below, self.floor(), y) if below.any() else y

    def padded(self) -> np.ndarray:
        """Where a window selects padding: (windows,)."""
        return ~self.mask.all(axis=1)


@breaks("pads.F1", "float.pads.F1", of=MAX, source="https://github.com/onnx/onnx-tensorflow/pull/83")
class PadsFloatsWithZero(Floored):
    """Padding of floating-point numbers counts as 0."""

    def floor(self):
        return 0

    def floored(self):
        return self.padded() & (self.dtype.kind == "f")


@breaks("pads.F1", "int.pads.F1", of=MAX)
class PadsIntegersWithZero(Floored):
    """Padding of integers counts as 0."""

    def floor(self):
        return 0

    def floored(self):
        return self.padded() & (self.dtype.kind in "iu")


@breaks("pads.F1", "float.pads.F1", of=MAX, source="ONNX Runtime before 1.29")
class PadsWithTheLowestNumber(Floored):
    """Padding counts as the lowest finite value."""

    def floor(self):
        return ml_dtypes.finfo(self.dtype).min if self.dtype.kind == "f" else lowest(self.dtype)

    def floored(self):
        return self.padded()


@breaks("pads.F1", "float.pads.F1", of=MAX)
class PadsWithAVeryLowNumber(Floored):
    """Padding counts as -9999."""

    def floor(self):
        return -9999

    def floored(self):
        return self.padded() & (self.dtype.kind == "f")


@breaks("int.pads.F1", of=MAX)
class PadsBytesWithTheSignBit(Floored):
    """Padding of uint8 is that of int8, 0x80: it counts as 128."""

    def floor(self):
        return 128

    def floored(self):
        return self.padded() & (self.dtype == np.uint8)


@breaks("int.pads.F1", of=MAX, source="symmetric quantisation, which leaves -128 out")
class PadsWithTheLowestOfASymmetricRange(Floored):
    """Padding of int8 counts as -127."""

    def floor(self):
        return -127

    def floored(self):
        return self.padded() & (self.dtype == np.int8)


@breaks("Y.F1", of=MAX)
class StartsAtZero(Floored):
    """The search starts at 0."""

    def floor(self):
        return 0


@breaks("Y.F1", of=MAX, source="std::numeric_limits<float>::min, which is not the lowest")
class StartsAtTheSmallestNormal(Floored):
    """The search starts at the smallest positive normal number."""

    def floor(self):
        return ml_dtypes.finfo(self.dtype).tiny if self.dtype.kind == "f" else lowest(self.dtype)


@breaks("Y.F1", of=MAX, source="https://github.com/tensorflow/tensorflow/issues/2501")
class StartsAtTheLowestNumber(Floored):
    """The search starts at the lowest finite value."""

    def floor(self):
        return ml_dtypes.finfo(self.dtype).min if self.dtype.kind == "f" else lowest(self.dtype)


@breaks("Y.F1", of=MAX)
class StartsAtTheLowestHalf(Floored):
    """The search starts at the lowest finite float16, whatever X is."""

    def floor(self):
        return np.finfo(np.float16).min if self.dtype.kind == "f" else lowest(self.dtype)


@breaks("Y.F1", of=MAX)
class SymmetricRange(Floored):
    """-128 becomes -127."""

    def floor(self):
        return -127 if self.dtype == np.int8 else lowest(self.dtype)


# NaN


@breaks("float.Y.F1", of=MAX, source="numpy.maximum, and the Max operator of the same profile")
class NanSpreads(Pooling):
    """A NaN in the window makes Y NaN."""

    def maximum(self, tap):
        nan = (self.mask & (self.values != self.values)).any(axis=2)
        return np.where(nan, np.nan, super().maximum(tap)).astype(self.dtype) if nan.any() else super().maximum(tap)


@breaks("float.Y.F1", of=MAX, source="ONNX Runtime from 1.29 on, with Indices")
class LeadingNanStays(Pooling):
    """A NaN in the first cell of the window stays the maximum, since nothing compares as larger."""

    def maximum(self, tap):
        nan = (self.values != self.values)[..., 0] & self.mask[:, 0]
        return np.where(nan, self.values[..., 0], super().maximum(tap))


@breaks("float.Y.F1", of=MAX)
class TrailingNanStays(Pooling):
    """A NaN in the last cell of the window becomes the maximum, since it does not compare as less."""

    def maximum(self, tap):
        nan = (self.values != self.values)[..., -1] & self.mask[:, -1]
        return np.where(nan, self.values[..., -1], super().maximum(tap))


@breaks("float.Y.F1", of=MAX, source="x86's maxps, which gives its second operand where one is NaN")
class NanRestartsTheSearch(Pooling):
    """A NaN makes the search forget what was before it."""

    def maximum(self, tap):
        nan = self.mask & (self.values != self.values)
        behind = np.cumsum(nan[..., ::-1], axis=2)[..., ::-1] == 0
        rest = np.where(self.candidates & behind, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(nan.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


@breaks("float.Y.F1", of=MAX)
class NanEndsTheSearch(Pooling):
    """A NaN ends the search: what comes behind it is not seen."""

    def maximum(self, tap):
        nan = self.mask & (self.values != self.values)
        before = np.cumsum(nan, axis=2) == 0
        rest = np.where(self.candidates & before, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(nan.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


@breaks("float.Y.F1", of=MAX, source="https://github.com/pytorch/pytorch/issues/7645")
class NothingButNanIsTheLowestNumber(Pooling):
    """A window of nothing but NaN gives the lowest finite value."""

    def maximum(self, tap):
        y = super().maximum(tap)
        if self.dtype.kind != "f":
            return y
        return np.where(self.candidates.any(axis=2), y, ml_dtypes.finfo(self.dtype).min)


@breaks("float.Y.F1", of=MAX)
class NothingButNanIsNan(Pooling):
    """A window of nothing but NaN gives NaN."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.where(self.candidates.any(axis=2), y, np.nan) if self.dtype.kind == "f" else y


@breaks("float.Y.F1", "float.Indices.F1", of=MAX)
class NanIsZero(Pooling):
    """NaN counts as 0."""

    @property
    def candidates(self):
        return np.broadcast_to(self.mask, self.values.shape)

    def keys(self):
        return np.where(self.values == self.values, self.values, 0)

    def maximum(self, tap):
        return at_tap(self.keys(), tap)
