"""Implementations of Conv under the profile's text that has a part on floating point, and faults."""

from __future__ import annotations

from tests.operators.contract import fault
from tests.operators.onnx import _convolution as convolution
from tests.operators.sonnx._conv import restated


class Conv(convolution.Convolution):
    """Multiplies the zeros of the padding, cell by cell."""


class Backwards(convolution.Backwards):
    """Sums from the last term to the first."""


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


@fault("pads.F1")
class SkipsPadding(convolution.SkipsPadding):
    """Leaves padding out of the sums."""


SIZES = ("strides.C2",)
VALUES = ("float.Y.F1", "float.Y.F2")

globals().update(restated(__name__, {"Y.C1": SIZES, "Y.C2": SIZES, "Y.C3": SIZES, "Y.F1": VALUES,
                                     "Y.F2": ("float.Y.C2",)}))
