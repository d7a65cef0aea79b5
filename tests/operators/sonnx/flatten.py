"""The implementation of Flatten, and its faults, under SONNX: no default, numbers alone."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import flatten

vars().update(under(flatten, __name__, {"output.C1": "Y.C1", "output.F1": "Y.F1", "output.F2": "Y.F2"}, (
    "DefaultIsZero", "DefaultIsTheLast", "ImaginaryPartIsLost", "ComplexIsConjugated", "TruthIsAlwaysTrue",
    "NibbleLosesItsSign", "OctetIsRounded", "TruthComesOutAsOctets")))
