"""ONNX Sqrt: the home of `spec/onnx/sqrt.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import element_type, elements_of, type_of_output
from plumbline.oracle.families.roots import Root
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import Freedom, Silence, leaves_open, on_elements

FLOATS = ("float16", "float32", "float64")


class Sqrt(Root, OnnxUnary):
    """A call of Sqrt under one version of the text."""

    exact = False
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}

    types_1 = element_type("X.C1", "X", FLOATS)
    types_13 = element_type("X.C2", "X", ("bfloat16", *FLOATS))
    type_of_y = type_of_output("Y.F2", "Y", lambda self: self.x.dtype)

    @on_elements("Y.F4", "Y", "not NaN where X is below zero")
    def negative(self, got: np.ndarray) -> np.ndarray:
        return self.x < 0

    @on_elements("Y.F3", "Y", "not the root of a zero or of an infinity")
    def ends(self, got: np.ndarray) -> np.ndarray:
        return ~self.positive

    any_other = elements_of("Y.F1", "Y", "not a finite number of zero or above")

    @leaves_open("Y.U1")
    def accuracy(self) -> Silence | None:
        if not self.positive.any():
            return None
        return Silence({"Y": Freedom(self.positive, lambda got: np.isfinite(got) & (got >= 0), observed=True)})

    @leaves_open("Y.U2")
    def nan(self) -> Silence | None:
        return Silence.of(self.x != self.x, "Y")

    zeros = OnnxUnary.zero_is_open("Y.U3")
