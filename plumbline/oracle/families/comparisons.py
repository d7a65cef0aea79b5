"""A truth value of each pair of elements: comparisons of numbers, and operators of logic."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.broadcasting import Binary
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, unspecified


class Truth(Binary):
    """A call whose output C is a truth value of the elements of A and B at its place."""

    test: ClassVar[Any]
    """A function of numpy from two arrays to truth values."""

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The truth values."""
        return np.asarray(self.test(*operands))

    any_other = elements_of(UNBOUND, "C", "not the truth value that the operator is of these elements")


class Comparison(Truth):
    """A call of a comparison, which no text defines for NaN."""

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Some elements of B are those of A at the same place, since random numbers are seldom equal."""
        call = super().make(choose, version)
        if call is None or call.inputs["A"].shape != call.inputs["B"].shape or choose((False, True), (2, 1)):
            return call
        a, b = call.inputs["A"].reshape(-1), call.inputs["B"].reshape(-1).copy()
        b[::2] = a[::2]
        return Call(call.operator, call.attributes, {"A": call.inputs["A"], "B": b.reshape(call.inputs["B"].shape)})

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        a, b = self.operands
        return Unspecified.of((a != a) | (b != b), "C", admits=lambda got: (got == 0) | (got == 1))
