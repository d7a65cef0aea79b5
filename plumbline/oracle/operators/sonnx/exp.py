"""Judge and generate calls of SONNX Exp, by `spec/sonnx/exp.md`."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from plumbline.oracle.families.approximations import SonnxApproximated
from plumbline.oracle.families.exponentials import Exponential
from plumbline.oracle.families.profile import first_order
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import APPROXIMATED, PROFILE, UNARY


class Exp(Exponential, SonnxApproximated):
    """A call of Exp."""

    clauses = PROFILE | APPROXIMATED | UNARY
    zeros = SonnxApproximated.zero_is_open("Y.U3")

    @cached_property
    def at_known(self) -> np.ndarray:
        """The mask of elements with a stated result, +inf above the largest number included."""
        return np.asarray(super().at_known | (self.value_of > np.finfo(self.x.dtype).max))

    @evidence("accuracy.E1")
    @staticmethod
    def bound_of_first_order() -> str:
        return first_order(math.exp, math.exp, 0, 1)

    @evidence("X.E1")
    @staticmethod
    def above_the_limit() -> str:
        half, single = np.float16(11.09375), np.float32(88.72283935546875)
        for printed in (half, single):
            assert float(printed) > math.log(np.finfo(printed.dtype).max)
            assert math.exp(float(printed)) > float(np.finfo(printed.dtype).max)
        return (f"the largest float16 is {np.finfo(half.dtype).max}, and e to the power of {half} is "
                f"{math.exp(float(half)):.0f}")
