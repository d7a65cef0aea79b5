"""Judge and generate calls of SONNX Less, by `spec/sonnx/less.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.profile import Pair, last_index
from plumbline.oracle.operator import evidence, on_elements
from plumbline.oracle.operators.sonnx.addresses import PAIR


class Less(Pair):
    """A call of Less."""

    clauses = PAIR
    operator = "Less"

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the mask of elements where A is below B; False for NaN."""
        a, b = operands
        return np.asarray(a < b)

    type_of_c = type_of_output("C.F2", "C", lambda self: np.dtype(bool))
    index = evidence("C.E9")(last_index)

    @on_elements("float.C.F1", "C", "not false, of NaN")
    def nan(self, got: np.ndarray) -> np.ndarray:
        a, b = self.operands
        return np.asarray((a != a) | (b != b))

    any_other = elements_of("C.F1", "C", "not whether A is below B")
