"""The implementation of Unsqueeze, and its faults, under SONNX: numbers and truth values alone."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import unsqueeze

vars().update(under(unsqueeze, __name__, {"expanded.C1": "Y.C1", "expanded.F1": "Y.F1", "expanded.F2": "Y.F2"}, (
    "ImaginaryPartIsLost", "ComplexIsConjugated", "NibbleLosesItsSign", "OctetIsRounded")))
