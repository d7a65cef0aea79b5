"""Implementations of Conv under ONNX's text."""

from __future__ import annotations

from tests.operators.onnx import _convolution
from tests.operators.onnx._convolution import Convolution

SHARED = ("Convolution Backwards ChannelsFirst Pairwise InBlocks Wider Fused BiasFirst AsMatrices SkipsPadding "
          "Winograd2 Winograd4 Winograd6 WinogradOfAnyType FourierInStages FourierOfNumpy FourierByChannel")
"""Implementations of every text on convolutions that ONNX's admits, the plain one first."""


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


OPERATORS = {"conv": [*(getattr(_convolution, name) for name in SHARED.split()), CropsForSame, Refuses]}
