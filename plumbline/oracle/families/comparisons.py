"""Comparisons of numbers, and operators of logic: truth values of pairs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.broadcasting import Binary
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.reading_symptoms import without_nul_at_the_end
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, unspecified
from plumbline.oracle.type_names import is_of_strings


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

    turns: ClassVar[tuple[float, ...] | None] = ()
    symptoms = {**Truth.symptoms, "without-nul-at-the-end": without_nul_at_the_end}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call; often elements of B equal those of A, or are next to them.

        A high bit of them is changed, since narrower types have numbers near zero. Some strings differ by a NUL."""
        call = super().make(choose, version)
        if call is None or call.inputs["A"].shape != call.inputs["B"].shape or choose((False, True)):
            return call
        a, b = (np.array(call.inputs[name]) for name in "AB")
        if is_of_strings(a.dtype):
            b.reshape(-1)[::2] = a.reshape(-1)[::2]
            b.reshape(-1)[::4] += np.array("\0", object)  # of a str numpy would drop the NUL
            return Call(call.operator, call.attributes, {"A": a, "B": b})
        of_a, of_b = (x.reshape(-1).view(f"u{x.itemsize}") for x in (a, b))
        of_a[::2] ^= 1 << (8 * a.itemsize - 3) if a.dtype != bool else 0
        of_b[::2] = of_a[::2]
        of_b[::4] ^= 1
        return Call(call.operator, call.attributes, {"A": a, "B": b})

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        a, b = self.operands
        return Unspecified.of((a != a) | (b != b), "C", admits=lambda got: (got == 0) | (got == 1))
