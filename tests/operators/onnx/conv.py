"""Implementations of Conv under ONNX's text."""

from __future__ import annotations

from tests.operators.onnx import _convolution as convolution
from tests.operators.onnx._convolution import Convolution


class Conv(Convolution):
    """Multiplies the zeros of the padding, cell by cell."""


class Backwards(convolution.Backwards):
    """Sums from the last term to the first."""


class ChannelsFirst(convolution.ChannelsFirst):
    """Sums channel by channel."""


class Pairwise(convolution.Pairwise):
    """Sums in pairs."""


class InBlocks(convolution.InBlocks):
    """Sums blocks of channels."""


class Wider(convolution.Wider):
    """Sums in the next wider type."""


class Fused(convolution.Fused):
    """Rounds a product together with its addition."""


class BiasFirst(convolution.BiasFirst):
    """Begins each sum with B."""


class AsMatrices(convolution.AsMatrices):
    """Multiplies matrices."""


class SkipsPadding(convolution.SkipsPadding):
    """Leaves padding out of the sums."""


class Winograd2(convolution.Winograd2):
    """Minimal filtering with tiles of 2 by 2."""


class Winograd4(convolution.Winograd4):
    """Minimal filtering with tiles of 4 by 4."""


class Winograd6(convolution.Winograd6):
    """Minimal filtering with tiles of 6 by 6."""


class WinogradOfAnyType(convolution.WinogradOfAnyType):
    """Minimal filtering in float16 and float64 too."""


class FourierInStages(convolution.FourierInStages):
    """Multiplies Fourier transforms, made in stages."""


class FourierOfNumpy(convolution.FourierOfNumpy):
    """Multiplies Fourier transforms of numpy."""


class FourierByChannel(convolution.FourierByChannel):
    """Transforms each channel back."""


class CropsForSame(Convolution):
    """Cuts X where SAME asks for negative padding."""

    def split(self, axis):
        total = self.missing(axis)
        small, large = total // 2, total - total // 2
        return (small, large) if self.auto_pad == "SAME_UPPER" else (large, small)

    def padded(self, x):
        cut = tuple(slice(max(-begin, 0), None) for begin in self.begin)
        kept, begin = x[(slice(None), slice(None), *cut)], self.begin
        self.begin = [max(one, 0) for one in begin]
        found = super().padded(kept)
        self.begin = begin
        return found


class Refuses(Convolution):
    """Refuses what may be refused: empty axes."""

    def check(self):
        if 0 in self.x.shape or 0 in self.w.shape:
            raise NotImplementedError


# Strides, dilations, sizes


# Padding


# Groups


# Kernels


# Blocks


# Bias


# Fast paths


# Values and types


# At sizes, and in contexts
