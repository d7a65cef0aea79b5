"""Mutants that are wrong on a fast path for one kernel."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.power.implementation import Pooling
from tests.power.mutant import MAX, breaks


class FastPath(Pooling):
    """For mutants: what a shape of call is known by."""

    def has(self, kernel: int, stride: int) -> bool:
        """Whether kernel and stride have these sizes on every axis, of two or more, and no dilation."""
        return self.rank > 1 and set(self.kernel) == {kernel} and set(self.strides) == {stride} and not self.dilated()

    def dilated(self) -> bool:
        """Whether some dilation is above 1."""
        return max(self.dilations) > 1

    def padded(self) -> bool:
        """Whether there is padding."""
        return any(self.begin) or any(self.end)


@breaks("Y.F1", source="https://github.com/Tencent/ncnn/pull/220")
class TwoByTwoAtAnOddWidth(FastPath):
    """Kernel 2x2 with stride 2: where the width is odd, every second row of windows begins a cell late."""

    def pitches(self):
        pitches = super().pitches()
        odd = self.has(2, 2) and self.sizes[-1] % 2 == 1 and not self.padded()
        return [*pitches[:-2], self.sizes[-1] // 2 * 2, 1] if odd else pitches


@breaks("Y.F1")
class TwoByTwoTakesARow(FastPath):
    """Kernel 2x2 with stride 2: only the first row of the window is read."""

    def offsets(self, a):
        return super().offsets(a)[:1] if self.has(2, 2) and a == self.rank - 2 else super().offsets(a)


@breaks("Y.F1", of=MAX, source="https://github.com/ARM-software/ComputeLibrary/issues/924")
class TwoByTwoOfNarrowBytes(FastPath):
    """Kernel 2x2 with stride 2 over planes narrower than 7, of bytes: the last column of windows is that before."""

    def starts(self, a):
        starts = super().starts(a)
        if self.has(2, 2) and a == self.rank - 1 and self.sizes[a] < 7 and self.dtype.kind in "iu" and len(starts) > 1:
            starts[-1] = starts[-2]
        return starts


@breaks("Y.F1", source="https://github.com/tenstorrent/tt-metal/issues/14260")
class ThreeByThreeLosesTheLastRow(FastPath):
    """Kernel 3x3 with stride 1: the last row of windows does not see the last row of X."""

    def inside(self, a, places):
        inside = super().inside(a, places)
        if self.has(3, 1) and a == self.rank - 2 and len(places) > 1:
            inside[-1] &= places[-1] < self.sizes[a] - 1
        return inside


@breaks("Y.F1", source="https://github.com/PaddlePaddle/Anakin/issues/210")
class ThreeByThreeLosesTheLastColumn(FastPath):
    """Kernel 3x3 with stride 2: the last window of a row does not see the last column of X."""

    def inside(self, a, places):
        inside = super().inside(a, places)
        if self.has(3, 2) and a == self.rank - 1 and len(places) > 1:
            inside[-1] &= places[-1] < self.sizes[a] - 1
        return inside


@breaks("float.pads.F1", of=MAX)
class ThreeByThreePadsWithZero(FastPath):
    """Kernel 3x3 with pads of 1: padding of floating-point numbers counts as 0."""

    def maximum(self, tap):
        y = super().maximum(tap)
        path = set(self.kernel) == {3} and set(self.begin + self.end) == {1} and self.dtype.kind == "f"
        return np.where(self.mask.all(axis=1), y, np.maximum(y, 0)) if path else y


@breaks("Y.C1")
class OneByOneCopies(FastPath):
    """Kernel 1x1: X is given back, whatever the strides and pads."""

    def read_strides(self):
        return [1] * self.rank if set(self.given["kernel_shape"]) == {1} else super().read_strides()


@breaks("Y.C1")
class GlobalWindowForgetsPads(FastPath):
    """A kernel of the size of X gives one window over all of X, whatever the pads."""

    def read_pads(self):
        nothing = [0] * self.rank, [0] * self.rank
        return nothing if self.kernel == self.sizes and not self.dilated() else super().read_pads()


@breaks("Y.F1", source="https://github.com/tenstorrent/tt-metal/issues/14249")
class MoreThanEightTaps(FastPath):
    """A window holds eight taps on an axis at most."""

    def offsets(self, a):
        return super().offsets(a)[:8]


@breaks("Y.F1")
class MoreThanSevenTaps(FastPath):
    """Of a window of more than eight taps the eighth is left out."""

    def kept(self) -> np.ndarray:
        """All taps but the eighth."""
        return (np.arange(self.mask.shape[1]) != 7) | (self.mask.shape[1] <= 8)

    @property
    def candidates(self):
        return super().candidates & self.kept()

    def addends(self):
        return super().addends()[..., self.kept()]


@breaks("Y.F1")
class MoreThan64Taps(FastPath):
    """A window holds 64 taps at most."""

    @property
    def candidates(self):
        return super().candidates & (np.arange(self.mask.shape[1]) < 64)

    def addends(self):
        return super().addends()[..., :64]


@breaks("Y.F1")
class RowKernelForgetsDilation(FastPath):
    """A kernel of one row is laid out without dilation."""

    def offsets(self, a):
        row = self.rank > 1 and prod(self.kernel[:-1]) == 1
        return np.arange(self.kernel[a]) if row else super().offsets(a)


@breaks("Y.F1")
class ColumnKernelForgetsStride(FastPath):
    """A kernel of one column moves by 1 to the right; the number of windows is right."""

    def starts(self, a):
        column = self.rank > 1 and self.kernel[-1] == 1 and a == self.rank - 1
        return np.arange(self.counts[a]) - self.begin[a] if column else super().starts(a)


@breaks("Y.F1")
class DilationOfTwoIsOne(FastPath):
    """Dilations of 2 on all axes are laid out as 1."""

    def offsets(self, a):
        return np.arange(self.kernel[a]) if set(self.dilations) == {2} else super().offsets(a)


@breaks("Y.F1")
class StrideAndDilationTogether(FastPath):
    """Where an axis has a stride and a dilation above 1, windows begin at multiples of the dilation."""

    def starts(self, a):
        both = self.strides[a] > 1 and self.dilations[a] > 1
        steps = np.arange(self.counts[a]) * self.strides[a]
        return steps // self.dilations[a] * self.dilations[a] - self.begin[a] if both else super().starts(a)


@breaks("Y.F1")
class DepthOfOneFolded(FastPath):
    """With three spatial axes and a kernel of 1 on the first, that axis is taken for channels: its stride is lost."""

    def starts(self, a):
        folded = self.rank == 3 and self.kernel[0] == 1 and a == 0
        return np.arange(self.counts[a]) - self.begin[a] if folded else super().starts(a)


@breaks("Y.F1")
class PadsOnOneAxisAlone(FastPath):
    """Where the first axis alone has pads at the beginning, the other begins as far out."""

    def starts(self, a):
        alone = self.rank == 2 and self.begin[0] > 0 and self.begin[1] == 0 and a == 1
        return super().starts(a) - self.begin[0] if alone else super().starts(a)
