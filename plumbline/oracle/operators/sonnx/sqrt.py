"""Judge and generate calls of SONNX Sqrt, by `spec/sonnx/sqrt.md`."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.families.clauses import any_nan, attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.profile import FLOATS, first_order, last_index
from plumbline.oracle.families.roots import Root
from plumbline.oracle.operator import evidence, on_elements
from plumbline.oracle.operators.sonnx.addresses import UNARY


class Sqrt(Root):
    """A call of Sqrt."""

    clauses = UNARY
    types = dict.fromkeys(FLOATS, 1)
    signed_zeros = True

    no_attribute = attributes_of("signature.C1", {})
    types_of_x = element_type("X.C2", "X", FLOATS)
    type_of_y = type_of_output("Y.C2", "Y", lambda self: self.x.dtype)
    bits = any_nan("Y.U1", "Y")
    index = evidence("X.E9")(last_index)

    @on_elements("Y.F3", "Y", "not NaN where X is, or is below zero")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(np.isnan(self.canonical["Y"]))

    @on_elements("Y.F2", "Y", "not the root of a zero or of an infinity")
    def ends(self, got: np.ndarray) -> np.ndarray:
        return ~self.positive

    any_other = elements_of("Y.F1", "Y", "not the root rounded to nearest")

    @evidence("X.E1")
    @staticmethod
    def positive_or_not_negative() -> str:
        example = 0.0
        assert example >= 0 and not example > 0 and math.sqrt(example) == 0
        return f"Example 2 takes the root of {example}, which the constraint admits and the sentence does not"

    @evidence("accuracy.E1")
    @staticmethod
    def bound_of_first_order() -> str:
        return first_order(math.sqrt, lambda x: 1 / (2 * math.sqrt(x)), 1, -1)
