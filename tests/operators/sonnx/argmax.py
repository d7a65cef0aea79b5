"""The implementation of ArgMax under SONNX: NaN above every number."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import argmax

vars().update(under(argmax, __name__))
