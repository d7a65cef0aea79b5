"""The implementation of Flatten under SONNX: no default, numbers alone."""

from __future__ import annotations

from tests.operators.contract import under
from tests.operators.onnx import flatten

vars().update(under(flatten, __name__))
