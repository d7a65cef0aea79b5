"""Mutants that count windows wrongly: the dilated kernel, the formulas of sizes, automatic padding."""

from __future__ import annotations

from tests.power.implementation import Pooling
from tests.power.mutant import breaks

ORT_POOL = "ONNX Runtime 1.31.1, as recorded in backends/divergences/onnxruntime.yaml"

# The dilated kernel


@breaks("Y.C1")
class SizesWithoutDilation(Pooling):
    """Sizes are computed from the kernel without its dilation, windows with it."""

    def extent(self, a):
        return self.kernel[a]


@breaks("Y.C1")
class ExtentWithoutItsLastCell(Pooling):
    """The dilated kernel is d*(k-1)."""

    def extent(self, a):
        return super().extent(a) - 1


@breaks("Y.C1")
class ExtentOfWholeSteps(Pooling):
    """The dilated kernel is d*k."""

    def extent(self, a):
        return self.dilations[a] * self.kernel[a]


@breaks("Y.C1")
class ExtentDilatedOnce(Pooling):
    """The dilated kernel is k + d - 1, which is right for kernels of 2."""

    def extent(self, a):
        return self.kernel[a] + self.dilations[a] - 1


@breaks("Y.C1")
class ExtentOfTheLastAxis(Pooling):
    """Sizes are computed from the dilated kernel of the last axis."""

    def extent(self, a):
        return super().extent(self.rank - 1)


# Explicit padding, rounded down


@breaks("Y.C1", source="the formula as printed in the draft of SONNX MaxPool, Outputs, Y, [C1]")
class DraftFormula(Pooling):
    """The size is floor((in + b + e - d*(k-1) - 1) / (s + 1))."""

    def floor_count(self, a):
        return self.room(a) // (self.strides[a] + 1)


@breaks("Y.C1")
class OneWindowMissing(Pooling):
    """The size lacks the + 1."""

    def floor_count(self, a):
        return self.room(a) // self.strides[a]


@breaks("Y.C1")
class OneWindowTooMany(Pooling):
    """There is a window more than fits."""

    def floor_count(self, a):
        return super().floor_count(a) + 1


@breaks("Y.C1")
class RoundedToNearest(Pooling):
    """The quotient is rounded to the nearest number."""

    def floor_count(self, a):
        return (2 * self.room(a) + self.strides[a]) // (2 * self.strides[a]) + 1


@breaks("Y.C1")
class ExactFitDropped(Pooling):
    """A last window that ends exactly at the border is dropped, where there is another."""

    def floor_count(self, a):
        return max((self.room(a) - 1) // self.strides[a] + 1, 1)


@breaks("Y.C1")
class SizeOfWholeStrides(Pooling):
    """The size is (in + b + e) / s where the kernel is the stride, as for a division into tiles, rounded up."""

    def floor_count(self, a):
        tiles = self.extent(a) == self.strides[a]
        return -(-(self.room(a) + self.extent(a)) // self.strides[a]) if tiles else super().floor_count(a)


@breaks("Y.C1")
class RoomCountsTheBeginPadTwice(Pooling):
    """Sizes are computed with twice the pad at the beginning, windows with both pads."""

    def room(self, a):
        return super().room(a) + self.begin[a] - self.end[a]


@breaks("Y.C1")
class SizesOfTheFirstAxis(Pooling):
    """The first axis decides on the number of windows on all."""

    def floor_count(self, a):
        return super().floor_count(0)


# Explicit padding, rounded up


@breaks("Y.C2", "Y.C3")
class CeilAddsAlways(Pooling):
    """With ceil_mode 1 there is another window also where all fit exactly."""

    def ceil_count(self, a):
        return self.room(a) // self.strides[a] + 2


@breaks("Y.C2", "Y.C3")
class CeilAddsForALargeRest(Pooling):
    """With ceil_mode 1 there is another window only where the rest is more than half a stride."""

    def ceil_count(self, a):
        return self.room(a) // self.strides[a] + 1 + (2 * (self.room(a) % self.strides[a]) > self.strides[a])


@breaks("Y.C2", "Y.C3")
class CeilAddsForARestAboveOne(Pooling):
    """With ceil_mode 1 a rest of one cell gives no window."""

    def ceil_count(self, a):
        return self.room(a) // self.strides[a] + 1 + (self.room(a) % self.strides[a] > 1)


@breaks("Y.F1", source="https://github.com/htshinichi/caffe-onnx/issues/38")
class CeilByPadding(Pooling):
    """With ceil_mode 1 and a rest the pads at both ends grow by one, and the windows shift."""

    def starts(self, a):
        rest = self.auto_pad == "NOTSET" and self.ceil and self.room(a) % self.strides[a]
        return super().starts(a) - (1 if rest else 0)


@breaks("Y.C2", "Y.C3")
class CeilOnTheLastAxis(Pooling):
    """With ceil_mode 1 only the last axis is rounded up."""

    def ceil_count(self, a):
        return super().ceil_count(a) if a == self.rank - 1 else self.floor_count(a)


@breaks("Y.C2", source=ORT_POOL)
class LastWindowDroppedEarly(Pooling):
    """A last window that starts behind X is dropped at every opset."""

    def drops_last(self, a, count):
        return (count - 1) * self.strides[a] >= self.sizes[a] + self.begin[a]


@breaks("Y.C3", source="the texts up to MaxPool-12 and AveragePool-19")
class LastWindowKept(Pooling):
    """A last window that starts behind X is kept at every opset."""

    def drops_last(self, a, count):
        return False


@breaks("Y.C3")
class LastWindowKeptAtTheEdge(Pooling):
    """A last window that starts at the first cell behind X is kept."""

    def drops_last(self, a, count):
        return self.request.opset >= 22 and (count - 1) * self.strides[a] > self.sizes[a] + self.begin[a]


@breaks("Y.C3")
class LastWindowMeasuredWithoutPad(Pooling):
    """A last window is dropped where (out-1)*s >= in, without the pad at the beginning."""

    def drops_last(self, a, count):
        return self.request.opset >= 22 and (count - 1) * self.strides[a] >= self.sizes[a]


@breaks("Y.C3")
class LastWindowMeasuredWithBothPads(Pooling):
    """A last window is dropped only where it starts behind the padding at the end."""

    def drops_last(self, a, count):
        return self.request.opset >= 22 and (count - 1) * self.strides[a] >= self.sizes[a] + self.begin[a] + self.end[a]


@breaks("Y.C3")
class LastWindowDroppedOnTheLastAxis(Pooling):
    """A last window that starts behind X is dropped on the last axis alone."""

    def drops_last(self, a, count):
        return super().drops_last(a, count) and a == self.rank - 1


@breaks("Y.C3")
class LastWindowMeasuredInTheFirstStride(Pooling):
    """Whether a last window starts behind X is computed with the stride of the first axis."""

    def drops_last(self, a, count):
        return self.request.opset >= 22 and (count - 1) * self.strides[0] >= self.sizes[a] + self.begin[a]
