"""Judge and generate calls of SONNX LeakyRelu, by `spec/sonnx/leakyrelu.md`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.families.clauses import any_nan, attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.elementwise import same
from plumbline.oracle.families.leaks import Leak
from plumbline.oracle.families.profile import FLOATS, last_index
from plumbline.oracle.operator import Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.sonnx.addresses import UNARY


class LeakyRelu(Leak):
    """A call of LeakyRelu."""

    clauses = UNARY | {"alpha.C1": "one_float"}
    types = dict.fromkeys(FLOATS, 1)
    signed_zeros = True

    alone = attributes_of("signature.C1", {"alpha": 1})
    types_of_x = element_type("X.C2", "X", FLOATS)
    type_of_y = type_of_output("Y.F4", "Y", lambda self: self.x.dtype)
    bits = any_nan("Y.U1", "Y")
    index = evidence("Y.E9")(last_index)

    @on_call("restrictions.R1")
    def no_default(self) -> str | None:
        return None if "alpha" in self.attributes else "alpha is not set"

    @on_elements("Y.F1", "Y", "not X where that is zero or above")
    def kept(self, got: np.ndarray) -> np.ndarray:
        return self.x >= 0

    @on_elements("Y.F3", "Y", "not NaN where X is, or alpha below zero")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x != self.x) | bool(np.isnan(self.alpha)))

    any_other = elements_of("Y.F2", "Y", "not the product of X and alpha, rounded to nearest")

    @unspecified("alpha.U1")
    def type_of_alpha(self) -> Unspecified | None:
        if self.rounded_alpha == self.alpha or np.isnan(self.alpha):
            return None
        with np.errstate(all="ignore"):
            other = self.with_slope(self.rounded_alpha)
        return Unspecified.of(self.below, "Y", admits=lambda got: same(got, other))

    @evidence("Y.E1")
    @staticmethod
    def ten_times_alpha() -> str:
        x, alpha, printed = Fraction("-9.5"), Fraction("0.01"), Fraction("-0.95")
        assert printed == 10 * alpha * x != alpha * x
        return f"alpha {float(alpha)} times {float(x)} is {float(alpha * x)}; the example prints {float(printed)}"

    @evidence("Y.E2")
    @staticmethod
    def nan_not_listed() -> str:
        with np.errstate(invalid="ignore"):
            product = np.float64(0) * np.float64(-math.inf)
        assert math.isnan(product)
        return f"an alpha of 0 times -inf is {product}, with NaN in neither of them"
