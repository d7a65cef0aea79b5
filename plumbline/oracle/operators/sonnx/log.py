"""Judge and generate calls of SONNX Log, by `spec/sonnx/log.md`."""

from __future__ import annotations

import math

from plumbline.oracle.families.approximations import SonnxApproximated
from plumbline.oracle.families.exponentials import Logarithm
from plumbline.oracle.families.profile import first_order
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import APPROXIMATED, PROFILE, UNARY


class Log(Logarithm, SonnxApproximated):
    """A call of Log."""

    clauses = PROFILE | APPROXIMATED | UNARY
    zeros = SonnxApproximated.zero_is_open("Y.U3")

    @evidence("accuracy.E1")
    @staticmethod
    def bound_of_first_order() -> str:
        return first_order(math.log, lambda x: 1 / x, 1, -0.5)
