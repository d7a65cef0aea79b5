"""Judge and generate calls of ONNX Not, by `spec/onnx/not.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.unary import Unary


class Not(Unary):
    """A call of Not under one version of its specification."""

    any_other = elements_of("Y.F1", "Y", "not the negation")

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the negations."""
        return np.asarray(np.logical_not(*operands))
