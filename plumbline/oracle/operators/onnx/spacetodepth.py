"""Judge and generate calls of ONNX SpaceToDepth, by `spec/onnx/spacetodepth.md`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.blocks import Blocks


def _mode_left_aside(definition: Any, entry: Divergence) -> bool:
    """Elements are those of mode DCR, or their lower 32 bits."""
    if entry.where is None or definition.mode == "DCR":
        return False
    attributes = {**definition.call.attributes, "mode": "DCR"}
    other = type(definition)(replace(definition.call, attributes=attributes), definition.version)
    moved = definition.source.ravel()[other.places()[tuple(entry.where.T)]]
    cut = moved.astype(np.int32) if moved.dtype.kind in "iu" else moved
    return bool(np.all((entry.got == moved) | (entry.got == cut) | (entry.got != entry.got) & (moved != moved)))


class SpaceToDepth(Blocks):
    """A call of SpaceToDepth under one version of its specification."""

    symptoms = {**Blocks.symptoms, "mode-left-aside": _mode_left_aside}

    reverse = True
    clauses = {"mode.C2": "modes", "blocksize.C3": "positive", "input.C3": "four_axes", "input.C4": "divisible",
               "output.F2": "value", "output.U1": "nan"}
