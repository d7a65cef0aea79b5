"""Mutants that compute the sizes or the padding of VALID, SAME_UPPER and SAME_LOWER wrongly."""

from __future__ import annotations

from tests.power.implementation import Pooling
from tests.power.mutant import breaks

ORT_POOL = "ONNX Runtime 1.31.1, as recorded in backends/divergences/onnxruntime.yaml"

# VALID


@breaks("Y.C4", source="https://github.com/microsoft/onnxruntime/issues/10083")
class ValidTakesTheCeil(Pooling):
    """With VALID and ceil_mode 1 the size is ceil((in - ke) / s) + 1."""

    def valid_count(self, a):
        room = self.sizes[a] - self.extent(a)
        return -(-room // self.strides[a]) + 1 if self.ceil else super().valid_count(a)


@breaks("Y.C4", source="the text of AveragePool-11 in the onnx package 1.23.2")
class ValidTakesTheFloor(Pooling):
    """With VALID the size is floor((in - ke + 1) / s)."""

    def valid_count(self, a):
        return (self.sizes[a] - self.extent(a) + 1) // self.strides[a]


@breaks("Y.C4")
class ValidWithoutDilation(Pooling):
    """With VALID the size is computed from the kernel without its dilation."""

    def valid_count(self, a):
        return (self.sizes[a] - self.kernel[a]) // self.strides[a] + 1


# SAME


@breaks("Y.C5", source="the text of AveragePool-11 in the onnx package 1.23.2")
class SameTakesTheFloor(Pooling):
    """With SAME the size is floor(in / s), unless ceil_mode is 1."""

    def same_count(self, a):
        return super().same_count(a) if self.ceil else self.sizes[a] // self.strides[a]


@breaks("Y.C5", source="the description of auto_pad up to MaxPool-11 and AveragePool-10")
class SameKeepsTheSize(Pooling):
    """With SAME the size is that of X, whatever the stride."""

    def same_count(self, a):
        return self.sizes[a]


@breaks("Y.C5", source="https://github.com/plaidml/plaidml/pull/1780")
class SameTakesTheCeil(Pooling):
    """With SAME and ceil_mode 1 the size is in // s + 1, one too many where s divides in."""

    def same_count(self, a):
        return self.sizes[a] // self.strides[a] + 1 if self.ceil else super().same_count(a)


@breaks("Y.C5")
class SamePaddedAlikeAtBothEnds(Pooling):
    """With SAME an odd cell of padding is left out, and the size follows."""

    def same_count(self, a):
        count = super().same_count(a)
        half = max((count - 1) * self.strides[a] + self.extent(a) - self.sizes[a], 0) // 2
        return (self.sizes[a] + 2 * half - self.extent(a)) // self.strides[a] + 1


@breaks("auto_pad.F1", source=ORT_POOL)
class SameWithoutDilation(Pooling):
    """With SAME the padding is computed from the kernel without its dilation."""

    def same_total(self, a):
        return max((self.counts[a] - 1) * self.strides[a] + self.kernel[a] - self.sizes[a], 0)


@breaks("auto_pad.F1", source="https://github.com/microsoft/onnxruntime/pull/29627")
class SameWithoutStride(Pooling):
    """With SAME the padding is ke - 1 whatever the stride: (in + s - 1) / s windows that need not be a whole number."""

    def same_total(self, a):
        return self.extent(a) - 1


@breaks("auto_pad.F1", source="https://github.com/root-project/root/issues/21737")
class SameHalfTheKernel(Pooling):
    """With SAME the padding at the beginning is k // 2."""

    def same_begin(self, a, total):
        return self.kernel[a] // 2


@breaks("auto_pad.F1")
class SameOfTheFirstAxis(Pooling):
    """With SAME the padding of the first axis holds for all."""

    def same_total(self, a):
        return super().same_total(0)


@breaks("auto_pad.F1")
class SameWithTheSizeAsRest(Pooling):
    """With SAME the padding is ke - in mod s, also where s divides in."""

    def same_total(self, a):
        return max(self.extent(a) - self.sizes[a] % self.strides[a], 0)


@breaks("auto_pad.F1")
class SameAllAtTheEnd(Pooling):
    """With SAME all padding is at the end."""

    def same_begin(self, a, total):
        return 0


@breaks("auto_pad.F1")
class SameAllAtTheBeginning(Pooling):
    """With SAME all padding is at the beginning."""

    def same_begin(self, a, total):
        return total


@breaks("auto_pad.F1")
class SameSplitAcrossAxes(Pooling):
    """With SAME the pads at the beginning are given to the axes in reverse."""

    def automatic_pads(self):
        begin, end = super().automatic_pads()
        return begin[::-1], end


@breaks("auto_pad.F1")
class SameOnTheLastAxis(Pooling):
    """With SAME only the last axis is padded at the beginning."""

    def same_begin(self, a, total):
        return super().same_begin(a, total) if a == self.rank - 1 else 0


@breaks("auto_pad.F1")
class SameRoundsUpLargePadding(Pooling):
    """With SAME_UPPER an odd padding above 1 is split with the larger half at the beginning."""

    def same_begin(self, a, total):
        return super().same_begin(a, total) if total < 2 else total - total // 2
