"""Faults of pooling by hand, each of which a recipe of values is there for."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from tests.operators.onnx._pooling import Pooling, at_tap, lowest


class MaskedByMultiplication(Pooling):
    """Padding reads the first element of its plane and multiplies it by zero, which NaN and infinities survive."""

    def addends(self):
        return self.values * self.mask


class IndexByHeight(Pooling):
    """The index is h*H + w: the height stands for the width."""

    def index_in_plane(self, cell):
        return cell[0] * self.sizes[0] + cell[1] if self.rank == 2 else super().index_in_plane(cell)


class IndexOfTheFirstCell(Pooling):
    """The index is that of the first cell of the window."""

    def index(self, tap):
        return super().index(np.zeros_like(tap))


def lowest_number(dtype: np.dtype) -> float | int:
    """The lowest value of the type that is no infinity."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else ml_dtypes.finfo(dtype).min


class IndexNeverSet(Pooling):
    """The index is set only for a value above the lowest, and is -1 until then; 0 where there is nothing to find."""

    def index(self, tap):
        never = ~(self.maximum(tap) > lowest_number(self.dtype)) & self.mask.any(axis=1)
        return np.where(never, -1, super().index(tap))


class LastTieWins(Pooling):
    """The last of equal maxima gives the index."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        last = ties.shape[2] - 1 - np.argmax(ties[..., ::-1], axis=2)
        return super().index(np.where(ties.any(axis=2), last, tap))


class LeftmostTieWins(Pooling):
    """The leftmost of equal maxima gives the index, of several the topmost."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        order = np.arange(prod(self.kernel)).reshape(self.kernel).T.ravel()
        return super().index(np.where(ties.any(axis=2), order[np.argmax(ties[..., order], axis=2)], tap))


class LastOfTheFirstRowWins(Pooling):
    """Rows are searched from the right; of equal maxima in a row the last gives the index."""

    def index(self, tap):
        ties = self.candidates & (self.values == at_tap(self.values, tap)[..., None])
        order = np.arange(prod(self.kernel)).reshape(self.kernel)[..., ::-1].ravel()
        return super().index(np.where(ties.any(axis=2), order[np.argmax(ties[..., order], axis=2)], tap))


class IndexOfTheNan(Pooling):
    """The first NaN of the window gives the index."""

    def index(self, tap):
        nan = self.mask & (self.values != self.values)
        return super().index(np.where(nan.any(axis=2), np.argmax(nan, axis=2), tap))


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


class PadsFloatsWithZero(Floored):
    """Padding of floating-point numbers counts as 0."""

    def floor(self):
        return 0

    def floored(self):
        return self.padded() & (self.dtype.kind == "f")


class PadsWithTheLowestNumber(Floored):
    """Padding counts as the lowest finite value."""

    def floor(self):
        return ml_dtypes.finfo(self.dtype).min if self.dtype.kind == "f" else lowest(self.dtype)

    def floored(self):
        return self.padded()


class StartsAtZero(Floored):
    """The search starts at 0."""

    def floor(self):
        return 0


class StartsAtTheLowestNumber(Floored):
    """The search starts at the lowest finite value."""

    def floor(self):
        return ml_dtypes.finfo(self.dtype).min if self.dtype.kind == "f" else lowest(self.dtype)


class StartsAtTheLowestHalf(Floored):
    """The search starts at the lowest finite float16, whatever X is."""

    def floor(self):
        return np.finfo(np.float16).min if self.dtype.kind == "f" else lowest(self.dtype)


class SymmetricRange(Floored):
    """-128 becomes -127."""

    def floor(self):
        return -127 if self.dtype == np.int8 else lowest(self.dtype)


class NanSpreads(Pooling):
    """A NaN in the window makes Y NaN."""

    def maximum(self, tap):
        nan = (self.mask & (self.values != self.values)).any(axis=2)
        return np.where(nan, np.nan, super().maximum(tap)).astype(self.dtype) if nan.any() else super().maximum(tap)


class LeadingNanStays(Pooling):
    """A NaN in the first cell of the window stays the maximum, since nothing compares as larger."""

    def maximum(self, tap):
        nan = (self.values != self.values)[..., 0] & self.mask[:, 0]
        return np.where(nan, self.values[..., 0], super().maximum(tap))


class TrailingNanStays(Pooling):
    """A NaN in the last cell of the window becomes the maximum, since it does not compare as less."""

    def maximum(self, tap):
        nan = (self.values != self.values)[..., -1] & self.mask[:, -1]
        return np.where(nan, self.values[..., -1], super().maximum(tap))


class NanRestartsTheSearch(Pooling):
    """A NaN makes the search forget what was before it."""

    def maximum(self, tap):
        nan = self.mask & (self.values != self.values)
        behind = np.cumsum(nan[..., ::-1], axis=2)[..., ::-1] == 0
        rest = np.where(self.candidates & behind, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(nan.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


class NanEndsTheSearch(Pooling):
    """A NaN ends the search: what comes behind it is not seen."""

    def maximum(self, tap):
        nan = self.mask & (self.values != self.values)
        before = np.cumsum(nan, axis=2) == 0
        rest = np.where(self.candidates & before, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(nan.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


class DivisorOneMore(Pooling):
    """The divisor is one more."""

    def divisor(self):
        return super().divisor() + 1


class Minimum(Pooling):
    """The minimum is chosen."""

    def keys(self):
        return -self.values.astype(np.float64)


class ComparesInSingle(Pooling):
    """Values are compared in float32, and the first of those equal there is chosen."""

    def keys(self):
        return self.values.astype(np.float32)


class ComparesInHalf(Pooling):
    """Values are compared in float16, and the first of those equal there is chosen."""

    def keys(self):
        return self.values.astype(np.float16)


class ComparesWithoutSign(Pooling):
    """int8 is compared as uint8."""

    def keys(self):
        return self.values.view(np.uint8) if self.dtype == np.int8 else self.values


class ComparesWithSign(Pooling):
    """uint8 is compared as int8."""

    def keys(self):
        return self.values.view(np.int8) if self.dtype == np.uint8 else self.values


class ComparesWithoutSubnormals(Pooling):
    """Subnormal numbers are compared as 0."""

    def keys(self):
        if self.dtype.kind != "f":
            return self.values
        return np.where(np.abs(self.values) < ml_dtypes.finfo(self.dtype).tiny, 0, self.values).astype(self.dtype)


class InfinityIsNoNumber(Pooling):
    """+inf is passed over as NaN is."""

    @property
    def candidates(self):
        return super().candidates & (self.values != np.inf)


class ComparesSixDecimals(Pooling):
    """Values are compared with six decimals."""

    def keys(self):
        return np.round(self.values.astype(np.float64), 6)


class SecondLargest(Pooling):
    """The second largest value is given, where the window holds several."""

    def maximum(self, tap):
        taken = self.candidates & (np.arange(self.mask.shape[1]) != tap[..., None])
        rest = np.where(taken, self.values, lowest(self.dtype)).max(axis=2)
        return np.where(taken.any(axis=2), rest, super().maximum(tap)).astype(self.dtype)


class YPassesThroughSingle(Pooling):
    """Y passes through float32."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return y.astype(np.float32) if self.dtype.kind == "f" else y


class BytesCutOff(Pooling):
    """Y of uint8 is cut off at 127."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.minimum(y, 127) if self.dtype == np.uint8 else y


class SubnormalsFlushed(Pooling):
    """Subnormal values of Y become 0."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.where(np.abs(y) < ml_dtypes.finfo(self.dtype).tiny, 0, y) if self.dtype.kind == "f" else y


class InfinitiesCutOff(Pooling):
    """+inf becomes the largest finite value."""

    def maximum(self, tap):
        y = super().maximum(tap)
        return np.minimum(y, ml_dtypes.finfo(self.dtype).max) if self.dtype.kind == "f" else y


class NotDivided(Pooling):
    """The sum is given."""

    def mean(self):
        return self.total()


class SumOfMagnitudes(Pooling):
    """Magnitudes are added."""

    def addends(self):
        return np.abs(super().addends())


class LastOfAnOddNumberMissing(Pooling):
    """Values are added in pairs; the last of an odd number is left out."""

    def addends(self):
        addends = super().addends()
        return addends[..., :-1] if addends.shape[2] % 2 and addends.shape[2] > 1 else addends


class InAnotherType(Pooling):
    """For mutants: values are added in `work`, where that is narrower than the type of X."""

    work: type = np.float64

    def total(self):
        """One after another."""
        if ml_dtypes.finfo(self.work).bits >= ml_dtypes.finfo(self.dtype).bits:
            return super().total()
        return np.add.accumulate(self.addends().astype(self.work), axis=2, dtype=self.work)[..., -1].astype(np.float64)


class AddsInHalf(InAnotherType):
    """Values are added in float16."""

    work = np.float16


class AddsDoublesInSingle(InAnotherType):
    """float64 is added in float32."""

    work = np.float32


class MeansFlushed(Pooling):
    """A subnormal mean becomes 0."""

    def finish(self, y):
        y = y.astype(self.dtype)
        return self.lay_out(np.where(np.abs(y) < ml_dtypes.finfo(self.dtype).tiny, 0, y).astype(self.dtype))


class SumsCutOffInHalf(Pooling):
    """Sums are cut off at the largest finite float16, whatever X is."""

    def total(self):
        largest = np.finfo(np.float16).max
        return np.clip(super().total(), -largest, largest)


class SumsInFixedPoint(Pooling):
    """Values are added in fixed point, with 16 binary digits behind the point."""

    def addends(self):
        return np.round(super().addends().astype(np.float64) * 2**16) / 2**16
