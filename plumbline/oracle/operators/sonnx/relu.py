"""Judge and generate calls of SONNX Relu, by `spec/sonnx/relu.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import attributes_of, element_type, presence, shape_of_output, type_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape
from plumbline.oracle.families.reading_symptoms import minus_infinity_as_nan, positive_zero
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import DTYPE, Named

TYPES = ("float32", "float16", "float64", "int8", "int16", "int32", "int64")


class Relu(Elementwise):
    """A call of Relu."""

    flag_notes = {"minus-zero": "X holds -0, of which a maximum with zero may be either zero."}
    symptoms = {**Elementwise.symptoms, "minus-infinity-as-nan": minus_infinity_as_nan,
                "positive-zero": positive_zero}

    no_attribute = attributes_of("signature.C1", {})
    types = element_type("X.C2", "X", TYPES)
    missing = presence("signature.F1")
    y_shape = shape_of_output("Y.C1", "Y")
    y_type = type_of_output("Y.F2", "Y", lambda self: self.inputs["X"].dtype)

    @property
    def nan(self) -> np.ndarray:
        """bool: where X is NaN."""
        x = self.inputs["X"]
        return np.asarray(x != x)

    def flags(self) -> dict[str, bool]:
        """Return flags: whether X holds -0."""
        x = self.inputs["X"]
        return {"minus-zero": is_float(x.dtype) and bool((np.signbit(x) & (x == 0)).any())}

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return each element, a NaN included, but +0 below zero."""
        x, = operands
        return np.where(x < 0, x.dtype.type(0), x)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements of `got` that are equal; where X is zero, the same zero."""
        x = self.inputs["X"]
        same_sign = (x != 0) | (np.signbit(got) == np.signbit(x)) if is_float(x.dtype) and is_float(got.dtype) else True
        return super().conforms(output, got) & same_sign

    @on_elements("float.Y.F1", "Y", "not NaN, where X is")
    def nan_stays(self, got: np.ndarray) -> np.ndarray:
        return self.nan

    @on_elements("Y.F1", "Y", "not X, where that is zero or above, nor zero, where it is below")
    def value_elsewhere(self, got: np.ndarray) -> bool:
        return True

    @unspecified("float.Y.U1")
    def zero_below_zero(self) -> Unspecified | None:
        return Unspecified.of(self.inputs["X"] < 0, "Y", admits=lambda got: got == 0)

    @unspecified("float.Y.U2")
    def bits_of_nan(self) -> Unspecified | None:
        return Unspecified.of(self.nan, "Y", admits=lambda got: got != got)

    @evidence("Y.E9")
    @staticmethod
    def last_index() -> str:
        axis = range(3)
        beyond = [place for place in range(len(axis) + 1) if place not in axis]
        assert beyond == [3]
        return f"an axis of {len(axis)} elements would have an element {beyond[0]}; the last is {axis[-1]}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of any shape and type."""
        return Call("Relu", {}, {"X": choose.tensor(a_shape(choose), choose(Named(DTYPE, TYPES)), "order")})
