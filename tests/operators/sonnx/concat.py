"""The implementation of Concat, and its faults, under SONNX: no default, no negative axis, no complex numbers."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import concat

vars().update(under(concat, __name__, {
    "concat_result.C1": ("Y.C1", "Y.C2", "Y.C3"), "concat_result.F1": "Y.F1", "concat_result.F2": "Y.C4"}, (
    "DefaultIsZero", "DefaultIsTheLast", "NegativeIsRefused", "NegativeIsOffByOne", "ImaginaryPartIsLost",
    "ComplexIsConjugated")))
