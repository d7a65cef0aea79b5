"""The implementation of Slice, and its faults, under SONNX: every axis named, every bound within its axis."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import slice as of_onnx

vars().update(under(of_onnx, __name__, {
    "output.C1": ("Y.C1", "Y.C2"), "output.F1": "Y.C2", "output.F2": "Y.F1", "output.F3": "Y.C4"},
    ("IntMaxGoesToTheFirst", "IntMaxIsTheEndBackward", "BackwardFromBelowIsNothing", "BackwardStartIsDropped",
     "EndIsNotClamped", "LargeEndWraps", "LastEntriesFirst", "ImaginaryPartIsLost", "ComplexIsConjugated")))
