"""Judge and generate calls of ONNX DepthToSpace, by `spec/onnx/depthtospace.md`."""

from __future__ import annotations

from plumbline.oracle.families.blocks import Blocks


class DepthToSpace(Blocks):
    """A call of DepthToSpace under one version of its specification."""

    reverse = False
    clauses = {"mode.C2": "modes", "blocksize.C3": "positive", "input.C3": "four_axes", "input.C4": "divisible",
               "output.F2": "value", "output.U1": "nan"}
