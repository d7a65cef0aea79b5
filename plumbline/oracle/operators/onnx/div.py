"""ONNX Div: the home of `spec/onnx/div.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.arithmetic import OnnxArithmetic
from plumbline.oracle.families.quotients import Quotient
from plumbline.oracle.operator import Freedom, Silence, leaves_open


class Div(Quotient, OnnxArithmetic):
    """A call of Div under one version of the text."""

    @leaves_open("C.U1", refusal=True)
    def overflow_of_integers(self) -> Silence | None:
        return None if self.floats else Silence.of(self.overflow, "C")

    @leaves_open("C.U3")
    def not_a_number(self) -> Silence | None:
        return Silence.of(np.isnan(self.c) | (self.operands[1] == 0), "C") if self.floats else None

    @leaves_open("C.U5", refusal=True)
    def zero(self) -> Silence | None:
        return None if self.floats else Silence.of(self.operands[1] == 0, "C")

    @leaves_open("C.U6")
    def product_with_the_reciprocal(self) -> Silence | None:
        if not self.floats:
            return None
        reciprocal, normal = self.reciprocal()
        with np.errstate(all="ignore"):
            product = np.multiply(self.operands[0], reciprocal)
        where = self.defined & normal & (product != self.c)
        return Silence({"C": Freedom(where, lambda got: got == product, observed=True)}) if where.any() else None
