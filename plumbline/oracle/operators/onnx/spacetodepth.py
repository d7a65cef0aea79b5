"""ONNX SpaceToDepth: the definition of `spec/onnx/spacetodepth.md`."""

from __future__ import annotations

from plumbline.oracle.families.blocks import Blocks


class SpaceToDepth(Blocks):
    """A call of SpaceToDepth under one version of the text."""

    reverse = True
