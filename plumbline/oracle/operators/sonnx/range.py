"""Judge and generate calls of SONNX Range, by `spec/sonnx/range.md`."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, presence, same_type, type_of_output
from plumbline.oracle.families.steps import NAMES, Steps
from plumbline.oracle.operator import evidence, on_call


class Range(Steps):
    """A call of Range in the profile: a step that is not zero, and a number of elements that integers decide."""

    clauses = {"S.C1": "start_axes", "L.C1": "limit_axes", "D.C2": "delta_axes", "Y.C1": "shape",
               "Y.F1": "value", "Y.U1": "beyond_the_type", "Y.U2": "other_counts", "Y.U3": "sign_of_zero"}
    types = ("float32", "float64", "int64", "int32", "int16")

    given = presence("signature.F1")
    no_attribute = attributes_of("signature.C1", {})
    types_of_s = element_type("S.C2", "start", types)
    one_type = same_type("D.C3", *NAMES)
    type_of_y = type_of_output("Y.C2", "output", lambda self: self.dtype)

    @on_call("D.C1")
    def step(self) -> str | None:
        return None if np.all(self.inputs["delta"] != 0) else "delta is 0"

    @evidence("Y.E1")
    @staticmethod
    def limit_among_the_numbers() -> str:
        limit, step = np.float32(0.3), np.float32(0.1)
        exact = [Fraction(float(number)) for number in (limit, step)]
        count = ceil(exact[0] / exact[1])
        last = np.float32((count - 1) * step)
        assert (count - 1) * exact[1] < exact[0] and last == limit
        return f"in float32 K is {count} for a limit of {limit} and steps of {step} from 0, and the last element is " \
               f"{last}"
