"""Judge and generate calls of ONNX Relu, by `spec/onnx/relu.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import Elementwise, a_shape
from plumbline.oracle.families.reading_symptoms import minus_infinity_as_nan, minus_infinity_kept
from plumbline.oracle.operator import Choose, Unspecified, unspecified
from plumbline.oracle.size_classes import DTYPE, Named

FLOATS = ("float32", "float16", "float64")
INTEGERS = ("int8", "int16", "int32", "int64")


class Relu(Elementwise):
    """A call of Relu under one version of its specification."""

    turns = ()
    symptoms = {**Elementwise.symptoms, "minus-infinity-as-nan": minus_infinity_as_nan,
                "minus-infinity-kept": minus_infinity_kept}

    y_value = elements_of("Y.F1", "Y", "not the larger of 0 and X")

    @unspecified("consumed_inputs.U1")
    def legacy_attribute(self) -> Unspecified | None:
        return Unspecified({}) if "consumed_inputs" in self.attributes else None

    @unspecified("Y.U1")
    def nan(self) -> Unspecified | None:
        x = self.inputs["X"]
        return Unspecified.of(x != x, "Y", admits=lambda got: (got != got) | (got == 0))

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return each element, a NaN included, but 0 below zero."""
        x, = operands
        return np.where(x < 0, x.dtype.type(0), x)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of any shape and type; in version 1 sometimes with the legacy attribute."""
        types = (*FLOATS, *(("bfloat16",) if version >= 13 else ()), *(INTEGERS if version >= 14 else ()))
        legacy = version == 1 and choose((False, True), (9, 1))
        x = choose.tensor(a_shape(choose), choose(Named(DTYPE, types)), "order")
        return Call("Relu", {"consumed_inputs": [0]} if legacy else {}, {"X": x})
