"""Judge and generate calls of ONNX Add, Sub, Mul and Div, by `spec/onnx/add.md` and the like."""

from __future__ import annotations

from operator import add, mul, sub

import numpy as np

from plumbline.oracle.families.arithmetic import OF_DIFFERENCES, OnnxArithmetic
from plumbline.oracle.families.quotients import Quotient
from plumbline.oracle.operator import Allowance, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import ARITHMETIC, BROADCAST, LIMITED


class Add(OnnxArithmetic):
    """A call of Add under one version of its specification."""

    clauses = ARITHMETIC | BROADCAST | LIMITED
    operation = np.add
    exactly = add


class Sub(OnnxArithmetic):
    """A call of Sub under one version of its specification."""

    clauses = ARITHMETIC | BROADCAST | LIMITED
    operation = np.subtract
    exactly = sub
    symptoms = {**OnnxArithmetic.symptoms, **OF_DIFFERENCES}


class Mul(OnnxArithmetic):
    """A call of Mul under one version of its specification."""

    clauses = ARITHMETIC | BROADCAST | LIMITED
    operation = np.multiply
    exactly = mul


class Div(Quotient, OnnxArithmetic):
    """A call of Div under one version of its specification."""

    clauses = ARITHMETIC | BROADCAST | LIMITED
    @unspecified("C.U1", refusal=True)
    def overflow_of_integers(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.overflow, "C")

    @unspecified("C.U3")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.c) | (self.operands[1] == 0), "C") if self.floats else None

    @unspecified("C.U5", refusal=True)
    def zero(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.operands[1] == 0, "C")

    @unspecified("C.U6")
    def product_with_the_reciprocal(self) -> Unspecified | None:
        if not self.floats:
            return None
        reciprocal, normal = self.reciprocal()
        with np.errstate(all="ignore"):
            product = np.multiply(self.operands[0], reciprocal)
        where = self.defined & normal & (product != self.c)
        return Unspecified({"C": Allowance(where, lambda got: got == product, observed=True)}) if where.any() else None
