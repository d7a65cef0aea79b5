"""Judge and generate calls of ONNX activations, by their function bodies and `spec/onnx/mish.md` and the like."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.by_body import ByBody
from plumbline.oracle.operator import Operator, Unspecified, evidence, unspecified
from plumbline.oracle.operators.onnx.addresses import BY_BODY


class Mish(ByBody):
    """A call of Mish under one version of its specification."""

    clauses = BY_BODY


class Elu(ByBody):
    """A call of Elu under one version of its specification."""

    clauses = {"Y.F3": "zeros_kept"} | BY_BODY | {"alpha.U1": "type_of_numbers"}
    numbers, first_body, compares, keeps_zero = ("alpha",), 6, True, True


class Selu(ByBody):
    """A call of Selu under one version of its specification."""

    clauses = BY_BODY | {"alpha.U1": "type_of_numbers"}
    numbers, first_body, compares = ("alpha", "gamma"), 6, True

    @unspecified("Y.U2")
    def at_zero(self) -> Unspecified | None:
        finite = all(np.isfinite(numbers["alpha"]) for numbers in self.beside)
        return None if finite else Unspecified.of(self.x == 0, "Y")


class Celu(ByBody):
    """A call of Celu under one version of its specification."""

    clauses = BY_BODY | {"alpha.U1": "type_of_numbers", "Y.U2": "formula_of_summary"}
    numbers = ("alpha",)
    formula = """<domain: "", opset_import: ["" : 18]> Celu <alpha>(X) => (Y) {
        A = Constant <value_float: float = @alpha> ()  Alpha = CastLike (A, X)
        O = Constant <value: tensor = float {1}> ()  One = CastLike (O, X)
        Z = Constant <value: tensor = float {0}> ()  Zero = CastLike (Z, X)
        Quotient = Div (X, Alpha)  Power = Exp (Quotient)  Less = Sub (Power, One)  Below = Mul (Alpha, Less)
        Second = Min (Zero, Below)  First = Max (Zero, X)  Y = Add (First, Second) }"""

    @evidence("Y.E1")
    def negative_alpha() -> str:
        """Of -1, with alpha -1."""
        call = Call("Celu", {"alpha": -1.0}, {"X": np.array([-1], np.float32)})
        at = Celu(call, 12)
        body, formula = at.by_body[1], at.by_formula
        assert body.low < -0.9 and formula.high < -1.7
        return f"of -1 with alpha -1 the body gives {at.by_body[0][0]:.4}, the formula {formula.high[0]:.4}"


class Softsign(ByBody):
    """A call of Softsign under one version of its specification."""

    names, output = ("input",), "output"
    clauses = {"output.F2": "any_other", "output.U1": "undecided"}


class Swish(ByBody):
    """A call of Swish under one version of its specification."""

    clauses = BY_BODY | {"alpha.U1": "type_of_numbers"}
    numbers = ("alpha",)


class ThresholdedRelu(ByBody):
    """A call of ThresholdedRelu under one version of its specification."""

    clauses = BY_BODY | {"alpha.U1": "type_of_numbers"}
    numbers = ("alpha",)

    @property
    def kept_zero(self) -> np.ndarray:
        """Return the mask of zeros, whose sign is that of the body."""
        return np.asarray(self.by_body[0] == 0)

    @unspecified("Y.U2")
    def either_zero(self) -> Unspecified | None:
        return Unspecified.of(self.kept_zero, "Y", admits=lambda got: got == 0)

    @classmethod
    def between(cls, version: int, numbers: Mapping[str, float], formula: str,
                *at: np.ndarray) -> tuple[np.ndarray, Ends]:
        """Return what the body gives, and ends; NaN where alpha is NaN, which Less leaves open."""
        found, ends = super().between(version, numbers, formula, *at)
        return found, ends.where(np.full(found.shape, not np.isnan(numbers["alpha"])))

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return the ends at both ends, and at a threshold between them."""
        ends = low.enclosure()["Y"].joined(high.enclosure()["Y"])
        alphas = [numbers["alpha"] for numbers in self.beside]
        crossed = (low.inputs["X"] <= max(alphas)) & (high.inputs["X"] > min(alphas))
        return {"Y": Ends(np.minimum(ends.low, min(alphas)), np.maximum(ends.high, max(alphas))).where(crossed, ends)}
