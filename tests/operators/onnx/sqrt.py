"""ONNX Sqrt: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

from tests.operators import _unary
from tests.operators._unary import Elements
from tests.operators.contract import plant


class Sqrt(Elements):
    """The root in the type of X."""

    def result(self, x):
        """The root, of bfloat16 by way of float32."""
        return np.sqrt(x.astype(np.float32)).astype(x.dtype) if x.dtype.name == "bfloat16" else np.sqrt(x)


plant(globals(), Sqrt, (_unary,), {
    "": "OtherZeros HalfOfSingle OneStepTooHigh",
    "Y.F4": "ZeroForNan RootOfTheMagnitude ZeroBelowZero Identity RepeatsTheFirstPlane ReadsSubnormalsAsZero",
    "Y.F1": "NegativeRoots HalvesRoots OverflowsAtTheEnd NanOfSubnormals LeavesTheTail DoubleInSingle",
    "Y.F3": "InfinityOfZero NanOfNegativeZero NanOfInfinity ClampsInfinities RootByReciprocal",
    "Y.C1": "ScalarsAsVectors Flattened",
    "Y.F2": "WidensHalf NarrowsDouble",
    "refusal": "RefusesEmpty",
    "signature.F1": "GivesNothing"
})
