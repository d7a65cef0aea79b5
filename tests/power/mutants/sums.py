"""Mutants of AveragePool that add or divide something else, or in too few digits."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MEAN, breaks

# The sum


@breaks("Y.F1", of=MEAN)
class NotDivided(Pooling):
    """The sum is given."""

    def mean(self):
        return self.total()


@breaks("Y.F1", of=MEAN)
class SumOfMagnitudes(Pooling):
    """Magnitudes are added."""

    def addends(self):
        return np.abs(super().addends())


@breaks("Y.F1", of=MEAN)
class RootOfSquares(Pooling):
    """The root of the mean of squares is given, as LpPool's is."""

    def mean(self):
        wide = self.addends().astype(np.float64)
        return np.sqrt((wide * wide).sum(axis=2) / self.divisor())


@breaks("Y.F1", of=MEAN)
class Largest(Pooling):
    """The maximum is given."""

    def mean(self):
        return np.where(self.mask, self.values, -np.inf).max(axis=2)


@breaks("Y.F1", of=MEAN)
class MeanOfTheEnds(Pooling):
    """Half the sum of the largest and the smallest value is given."""

    def mean(self):
        inside = self.values.astype(np.float64)
        least, most = np.where(self.mask, inside, np.inf).min(axis=2), np.where(self.mask, inside, -np.inf).max(axis=2)
        return (least + most) / 2


@breaks("Y.F1", of=MEAN)
class SumOfWholeNumbers(Pooling):
    """Values are added without their fractions."""

    def addends(self):
        return np.trunc(super().addends())


@breaks("Y.F1", of=MEAN)
class WholeDivision(Pooling):
    """The quotient is rounded down."""

    def mean(self):
        return np.floor(super().mean())


@breaks("Y.F1", of=MEAN)
class LastOfAnOddNumberMissing(Pooling):
    """Values are added in pairs; the last of an odd number is left out."""

    def addends(self):
        addends = super().addends()
        return addends[..., :-1] if addends.shape[2] % 2 and addends.shape[2] > 1 else addends


@breaks("Y.F1", of=MEAN)
class RestOfFourMissing(Pooling):
    """Values are added four by four; of more than four, those that are left over are left out."""

    def addends(self):
        addends = super().addends()
        return addends[..., :addends.shape[2] // 4 * 4] if addends.shape[2] > 4 else addends


@breaks("Y.F1", of=MEAN)
class RestOfFourTwice(Pooling):
    """Values are added four by four; of more than four, the last four are added for those that are left over."""

    def total(self):
        addends = self.addends().astype(np.float64)
        taps = addends.shape[2]
        if taps <= 4 or taps % 4 == 0:
            return super().total()
        return addends[..., :taps // 4 * 4].sum(axis=2) + addends[..., -4:].sum(axis=2)


@breaks("Y.F1", of=MEAN)
class HalvedAtEveryStep(Pooling):
    """The mean runs: at every step it is that of itself and the next value."""

    def mean(self):
        taps = self.addends().astype(np.float64)
        mean = taps[..., 0]
        for tap in range(1, taps.shape[2]):
            mean = (mean + taps[..., tap]) / 2
        return mean


@breaks("Y.F1", of=MEAN)
class SumNotReset(Pooling):
    """The sum of a plane's first window is not cleared for its second."""

    def total(self):
        total = super().total()
        if total.shape[1] > 1:
            total[:, 1] += total[:, 0]
        return total


@breaks("Y.F1", of=MEAN)
class RunningSum(Pooling):
    """Along the last axis the sum runs in the type of X: what leaves the window is subtracted, what enters is added."""

    def total(self):
        rows = self.addends().reshape(self.batches * self.channels, -1, self.counts[-1], self.mask.shape[1])
        totals = [self.summed(rows[:, :, 0])]
        for window in range(1, self.counts[-1]):
            left, entered = self.summed(rows[:, :, window - 1]), self.summed(rows[:, :, window])
            totals.append((totals[-1] - left).astype(self.dtype) + entered)
        return np.stack(totals, axis=2).reshape(rows.shape[0], -1)

    def summed(self, taps):
        """One after another, in the type of X."""
        return np.add.accumulate(taps, axis=-1, dtype=self.dtype)[..., -1]


# Precision


class InAnotherType(Pooling):
    """For mutants: values are added in `work`, where that is narrower than the type of X."""

    work: type = np.float64

    def total(self):
        """One after another."""
        if ml_dtypes.finfo(self.work).bits >= ml_dtypes.finfo(self.dtype).bits:
            return super().total()
        return np.add.accumulate(self.addends().astype(self.work), axis=2, dtype=self.work)[..., -1].astype(np.float64)


@breaks("Y.F1", of=MEAN)
class AddsInHalf(InAnotherType):
    """Values are added in float16."""

    work = np.float16


@breaks("Y.F1", of=MEAN)
class AddsDoublesInSingle(InAnotherType):
    """float64 is added in float32."""

    work = np.float32


@breaks("Y.F1", of=MEAN)
class MeanPassesThroughHalf(Pooling):
    """The mean passes through float16."""

    def mean(self):
        return super().mean().astype(np.float16)


@breaks("Y.F1", of=MEAN)
class MeanPassesThroughSingle(Pooling):
    """The mean passes through float32."""

    def mean(self):
        return super().mean().astype(np.float32)


@breaks("Y.F1", of=MEAN)
class MeanPassesThroughBrainFloat(Pooling):
    """The mean of float32 keeps its upper 16 bits."""

    def finish(self, y):
        y = y.astype(self.dtype)
        return self.lay_out((y.view(np.uint32) & 0xFFFF0000).view(np.float32) if self.dtype == np.float32 else y)


@breaks("Y.F1", of=MEAN)
class ReciprocalInHalf(Pooling):
    """The sum is multiplied by a reciprocal of float16."""

    def mean(self):
        return self.total() * (1 / self.divisor()).astype(np.float16)


@breaks("Y.F1", of=MEAN)
class ReciprocalInSingle(Pooling):
    """The sum of float64 is multiplied by a reciprocal of float32."""

    def mean(self):
        return self.total() * (1 / self.divisor()).astype(np.float32)


@breaks("Y.F1", of=MEAN, source="https://github.com/xmos/ai_tools/issues/226")
class ReciprocalOf8Bits(Pooling):
    """The sum is multiplied by a reciprocal of eight binary digits."""

    def mean(self):
        fraction, exponent = np.frexp(1 / self.divisor())
        return self.total() * np.ldexp(np.round(fraction * 256) / 256, exponent)


@breaks("Y.F1", of=MEAN)
class ReciprocalByAnEstimate(Pooling):
    """The sum is multiplied by an estimated reciprocal that no step refines: twelve binary digits of it are right."""

    def mean(self):
        return self.total() * (1 / self.divisor()) * (1 + 1.5 * 2.0**-13)


@breaks("Y.F1", of=MEAN)
class MeansFlushed(Pooling):
    """A subnormal mean becomes 0."""

    def finish(self, y):
        y = y.astype(self.dtype)
        return self.lay_out(np.where(np.abs(y) < ml_dtypes.finfo(self.dtype).tiny, 0, y).astype(self.dtype))


@breaks("Y.F1", of=MEAN)
class SumsCutOffInHalf(Pooling):
    """Sums are cut off at the largest finite float16, whatever X is."""

    def total(self):
        largest = np.finfo(np.float16).max
        return np.clip(super().total(), -largest, largest)


@breaks("Y.F1", of=MEAN)
class SumsInFixedPoint(Pooling):
    """Values are added in fixed point, with 16 binary digits behind the point."""

    def addends(self):
        return np.round(super().addends().astype(np.float64) * 2**16) / 2**16
