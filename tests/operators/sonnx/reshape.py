"""The implementation of Reshape under SONNX: allowzero given, no complex numbers."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import reshape

vars().update(under(reshape, __name__))
