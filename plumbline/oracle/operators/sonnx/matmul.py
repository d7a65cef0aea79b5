"""Judge and generate calls of SONNX MatMul, by `spec/sonnx/matmul.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.families.clauses import (
    attributes_of,
    element_type,
    elements_of,
    presence,
    same_type,
    type_of_output,
)
from plumbline.oracle.families.matrices import FLOATS, INTEGERS, StackedProduct
from plumbline.oracle.operator import Wrong, evidence, on_call, on_elements, on_outputs
from plumbline.oracle.response import Response, other_shape
from plumbline.oracle.rounding import PRECISION


class MatMul(StackedProduct):
    """A call of MatMul."""

    clauses = {"float.Y.U1": "overflow"}
    operator = "MatMul"

    no_attribute = attributes_of("signature.C1", {})
    types = element_type("A.C4", "A", (*FLOATS, *INTEGERS))
    one_type = same_type("B.C4", "A", "B")
    missing = presence("signature.F1")
    y_type = type_of_output("Y.F2", "Y", lambda self: self.dtype)

    @on_call("restrictions.R1")
    def matrices(self) -> str | None:
        shapes = {name: list(self.inputs[name].shape) for name in ("A", "B")}
        return next((f"{name} has shape {shape}" for name, shape in shapes.items() if len(shape) != 2), None)

    @on_call("A.C1")
    def axes_of_a(self) -> str | None:
        return None if self.inputs["A"].ndim == 2 else f"A has shape {list(self.inputs['A'].shape)}"

    @on_call("B.C1")
    def axes_of_b(self) -> str | None:
        return None if self.inputs["B"].ndim == 2 else f"B has shape {list(self.inputs['B'].shape)}"

    @on_call("A.C2", needs=("restrictions.R1",))
    def inner_size(self) -> str | None:
        of_a, of_b = self.inputs["A"].shape[1], self.inputs["B"].shape[0]
        return None if of_a == of_b else f"dA1 is {of_a}, dB0 is {of_b}"

    @on_outputs("Y.C1")
    def axes(self, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or got.ndim == 2 else other_shape("Y", got.shape, self.whole)

    @on_outputs("A.C3", needs=("Y.C1",))
    def rows(self, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or got.shape[0] == self.whole[0] else other_shape("Y", got.shape, self.whole)

    @on_outputs("B.C3", needs=("Y.C1",))
    def columns(self, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or got.shape[1] == self.whole[1] else other_shape("Y", got.shape, self.whole)

    @on_elements("Y.F1", "Y", "not 0, the sum of no terms")
    def no_inner_size(self, got: np.ndarray) -> bool:
        return bool(self.left.shape[1] == 0)

    @on_elements("float.Y.F2", "Y", "not what terms that are not finite give")
    def special_value(self, got: np.ndarray) -> np.ndarray:
        return self.not_finite

    @on_elements("int.Y.F1", "Y", "not the sum of its terms modulo 2 to the number of bits")
    def integer_value(self, got: np.ndarray) -> bool:
        return not self.floating

    y_value = elements_of("float.Y.F1", "Y", "not the sum of its terms")

    @evidence("accuracy.E1")
    @staticmethod
    def bound_below_one_rounding() -> str:
        u, _, _ = PRECISION["float32"]
        printed = (1 + u**2) * ((1 + u)**1 - 1) / u - 1
        root = 1 + Fraction(1, 2**12)
        error = abs(Fraction(float(np.float32(float(root)) * np.float32(float(root)))) - root**2)
        mended = (1 + u)**2 * ((1 + u)**1 - 1) / u - 1
        assert printed == u**2 < error / root**2 <= mended == 2 * u + u**2
        return f"n = 1, float32: {float(root)} squared is off by {float(error):.2g}, the bound {float(printed):.2g}"

    @evidence("accuracy.E2")
    @staticmethod
    def sign_of_the_last_formula() -> str:
        u, n = PRECISION["float32"][0], 1
        above = ((1 + u)**n - 1) / u * (1 + u)**2 - n
        printed, mended = ((((1 + u)**n - 1 - n * u) / u**2 * (1 + u)**2 + sign * n * (2 + u)) * u for sign in (-1, 1))
        assert printed < 0 < above == mended
        return f"n = 1, float32: the formula gives {float(printed):.2g}, the line above it {float(above):.2g}"

    @evidence("accuracy.E3")
    @staticmethod
    def rows_of_b() -> str:
        a, b = np.zeros((3, 2)), np.zeros((2, 2))
        assert a.shape[0] != b.shape[0] == a.shape[1]
        return f"Example 2: dA0 is {a.shape[0]}, and B has {b.shape[0]} rows"

    @evidence("accuracy.E7")
    @staticmethod
    def product_that_counts_as_none() -> str:
        a, b, ae, be = Fraction(1), Fraction(1), Fraction(1, 10), Fraction(1, 10)
        printed, mended = (count * (a * be + b * ae + ae * be) for count in (0, 1))
        error = (a + ae) * (b + be) - a * b
        assert printed < error <= mended
        return f"after the first product, k = 0, the error is {float(error):g}, the bound {float(printed):g}, " \
               f"with k + 1 {float(mended):g}"
