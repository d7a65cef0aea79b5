"""The implementation of Unsqueeze under SONNX: numbers and truth values alone."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import unsqueeze

vars().update(under(unsqueeze, __name__))
