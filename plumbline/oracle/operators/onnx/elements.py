"""Judge and generate calls of ONNX Abs, Neg, Sign, Not, Reciprocal and Sqrt, by `spec/onnx/abs.md` and the like."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.approximations import explained, roundoff
from plumbline.oracle.families.arithmetic import OnnxOperation
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.quotients import Quotient
from plumbline.oracle.families.roots import Root
from plumbline.oracle.families.unary import ExactUnary, OnnxUnary, Unary
from plumbline.oracle.operator import Allowance, Unspecified, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import EXACT
from plumbline.oracle.rounding import Wide, smallest_normal

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

IEEE = ("float32", "float64")
"""Types in which IEEE 754-2019 (5.4.1) requires of implementations that the root is rounded correctly."""


class Abs(ExactUnary):
    """A call of Abs under one version of its specification."""

    clauses = EXACT | {"Y.U1": "lowest_integer"}
    function = staticmethod(np.abs)
    turns = (0.0,)
    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 6), "bfloat16": 13}


class Neg(ExactUnary):
    """A call of Neg under one version of its specification."""

    clauses = EXACT | {"Y.U1": "lowest_integer"}
    function = staticmethod(np.negative)


class Sign(ExactUnary):
    """A call of Sign under one version of its specification."""

    names, output = ("input",), "output"
    clauses = {"output.F2": "any_other", "output.U1": "nan", "output.U2": "zeros"}
    function = staticmethod(np.sign)


class Not(Unary):
    """A call of Not under one version of its specification."""

    any_other = elements_of("Y.F1", "Y", "not the negation")

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the negations."""
        return np.asarray(np.logical_not(*operands))


class Reciprocal(OnnxUnary, Quotient, OnnxOperation):
    """A call of Reciprocal under one version of its specification: a quotient whose dividend is 1."""

    names, output, types, correct = ("X",), "Y", {}, ()
    operator, symptoms, shape_symptoms = "Reciprocal", {**OnnxUnary.symptoms}, {**OnnxUnary.shape_symptoms}
    clauses = {"Y.F1": "any_other", "Y.U1": "overflow_of_floats", "Y.U2": "not_a_number", "Y.U3": "sign_of_zero"}
    function = staticmethod(np.reciprocal)

    @property
    def operands(self) -> tuple[np.ndarray, ...]:
        """The dividend and X."""
        return np.ones_like(self.x), self.x


class Sqrt(Root, OnnxUnary):
    """A call of Sqrt under one version of its specification."""

    exact = False
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}

    @on_elements("Y.F4", "Y", "not NaN where X is below zero")
    def negative(self, got: np.ndarray) -> np.ndarray:
        return self.x < 0

    @on_elements("Y.F3", "Y", "not the root of a zero or of an infinity")
    def ends(self, got: np.ndarray) -> np.ndarray:
        return ~self.positive

    any_other = elements_of("Y.F1", "Y", "not the root, whatever the rounding")

    @unspecified("Y.U1")
    def accuracy(self) -> Unspecified | None:
        if not self.positive.any():
            return None
        return Unspecified({"Y": Allowance(self.positive, self.explains, observed=True)})

    def explains(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements of `got` that are as near to the root as F1 asks."""
        root = np.sqrt(np.where(self.positive, self.x, 0).astype(Wide))
        read_as_zero = (got == 0) & (self.x.astype(Wide) < smallest_normal(self.x.dtype))
        room = 2 * roundoff(self.x.dtype) * root
        nearest = np.asarray(got == self.canonical["Y"])
        near = nearest if self.x.dtype.name in IEEE else explained(got, root, self.x.dtype, room)
        return np.asarray(np.isfinite(got) & (got >= 0) & (near | read_as_zero))

    @unspecified("Y.U2")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self.x != self.x, "Y")

    zeros = OnnxUnary.zero_is_open("Y.U3")
