"""SONNX MatMul: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, fault, plant


class MatMul(shared.Product):
    """The product of two matrices."""

    def run(self, request: Request) -> Outputs:
        """Y."""
        a, b = (np.asarray(request.inputs[name]) for name in ("A", "B"))
        with np.errstate(all="ignore"):
            return {"Y": self.multiply(a, b)}


plant(globals(), MatMul, (shared,), {
    "": shared.HONEST,
    "float.Y.F1": shared.SUMS,
    "int.Y.F1": shared.INTEGERS,
    "float.Y.F2 float.Y.F1": shared.SPECIALS,
    "Y.F1": "BeginsAtOne",
    "Y.F2": "WidensHalf WidensIntegers",
    "Y.C1": "DropsUnitAxes",
    "refusal": "RefusesEmptySums"
})


@fault("A.C3")
class SwapsTheSizes(MatMul):
    """Y has the rows of B and the columns of A."""

    def run(self, request: Request) -> Outputs:
        return {name: y.reshape(y.shape[::-1]) for name, y in super().run(request).items()}


@fault("B.C3")
class PadsColumns(MatMul):
    """An odd number of columns is made even."""

    def run(self, request: Request) -> Outputs:
        return {name: np.pad(y, ((0, 0), (0, y.shape[1] % 2))) for name, y in super().run(request).items()}
