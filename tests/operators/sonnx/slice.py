"""The implementation of Slice under SONNX: every axis named, every bound within its axis."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import slice as of_onnx

vars().update(under(of_onnx, __name__, ("IntMaxGoesToTheFirst",)))
