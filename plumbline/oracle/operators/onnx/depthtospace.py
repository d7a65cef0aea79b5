"""ONNX DepthToSpace: the definition of `spec/onnx/depthtospace.md`."""

from __future__ import annotations

from plumbline.oracle.families.blocks import Blocks


class DepthToSpace(Blocks):
    """A call of DepthToSpace under one version of the text."""

    reverse = False
