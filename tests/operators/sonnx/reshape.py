"""The implementation of Reshape, and its faults, under SONNX: allowzero given, no complex numbers."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import reshape

vars().update(under(reshape, __name__, {"reshaped.C1": "Y.C1", "reshaped.F1": "Y.F1", "reshaped.F2": "Y.F2"}, (
    "DefaultIsOne", "VersionsBefore14KeepZero", "ImaginaryPartIsLost", "ComplexIsConjugated", "OctetIsRounded")))
