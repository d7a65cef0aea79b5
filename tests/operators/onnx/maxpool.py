"""ONNX MaxPool: an implementation, and variants of it."""

from __future__ import annotations

from tests.operators.contract import Implementation, Outputs
from tests.operators.onnx._pooling import Pooling
from tests.operators.onnx._pooling_variants import EQUAL


class MaxPool(Implementation):
    """On whole arrays of windows."""

    kind = Pooling

    def run(self, request) -> Outputs:
        """The outputs asked for."""
        return self.kind.run(request)


vars().update({kind.__name__: type(kind.__name__, (MaxPool,), {
    "kind": kind, "__doc__": kind.__doc__, "__module__": __name__}) for kind in EQUAL})
