"""The implementation of Concat under SONNX: no default, no negative axis, no complex numbers."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import concat

vars().update(under(concat, __name__))
