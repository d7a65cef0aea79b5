"""Judge and generate calls of ONNX Abs, by `spec/onnx/abs.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import Unspecified, unspecified

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


class Abs(OnnxUnary):
    """A call of Abs under one version of its specification."""

    clauses = {"Y.U1": "lowest_integer"}
    operator = "Abs"
    turns = (0.0,)
    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 6), "bfloat16": 13}

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the elements without their signs; the lowest integer stays."""
        return np.asarray(np.abs(operands[0]))

    any_other = elements_of("Y.F1", "Y", "not the absolute value")

    @unspecified("Y.U2")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self.x != self.x, "Y")

    zeros = OnnxUnary.zero_is_open("Y.U3")
