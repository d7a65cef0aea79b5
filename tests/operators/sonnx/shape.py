"""The implementation of Shape under SONNX: both bounds given."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import shape

vars().update(under(shape, __name__))
