"""Implementations of Conv under the profile's text that has a part on floating point."""

from __future__ import annotations

from tests.operators.onnx import _convolution as convolution


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
