"""Judge and generate calls of ONNX SpaceToDepth, by `spec/onnx/spacetodepth.md`."""

from __future__ import annotations

from plumbline.oracle.families.blocks import Blocks


class SpaceToDepth(Blocks):
    """A call of SpaceToDepth under one version of its specification."""

    reverse = True
    clauses = {"mode.C2": "modes", "blocksize.C3": "positive", "input.C3": "four_axes", "input.C4": "divisible",
               "output.F2": "value", "output.U1": "nan"}
