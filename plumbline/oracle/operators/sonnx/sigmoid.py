"""Judge and generate calls of SONNX Sigmoid, by `spec/sonnx/sigmoid.md`."""

from __future__ import annotations

import math

from plumbline.oracle.families.approximations import SonnxApproximated
from plumbline.oracle.families.exponentials import Logistic
from plumbline.oracle.families.profile import first_order
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import APPROXIMATED, PROFILE, UNARY


class Sigmoid(Logistic, SonnxApproximated):
    """A call of Sigmoid."""

    clauses = PROFILE | APPROXIMATED | UNARY
    zeros = SonnxApproximated.zero_is_open("Y.U3")

    @evidence("accuracy.E1")
    @staticmethod
    def bound_of_first_order() -> str:
        def value(x: float) -> float:
            return 1 / (1 + math.exp(-x))

        return first_order(value, lambda x: value(x) * (1 - value(x)), -2, 2)
