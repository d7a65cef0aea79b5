"""The implementation of Shape, and its faults, under SONNX: both bounds given."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import shape

vars().update(under(shape, __name__, {
    "shape.C1": "Y.C1", "shape.C2": "Y.C1", "shape.F1": "Y.F1", "shape.F2": "Y.F2"},
    ("DefaultEndIsMinusOne", "DefaultStartIsOne")))
