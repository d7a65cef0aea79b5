"""HardSigmoid and HardSwish: a line limited to 0 to 1, with error bounds.

A computed `alpha * x + beta` is a sum of two terms, one of them rounded before (see `plumbline.oracle.rounding`). To
limit it is exact, and keeps the order of numbers: bounds of the sum, limited, are bounds of what is limited.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import UNBOUND, Unspecified, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth


class Ramp(OnnxUnary):
    """A call whose elements are computed from a limited line."""

    exact = False

    shape = OnnxUnary.shape
    any_other = elements_of(UNBOUND, "", "not the value of the formula")

    @property
    def wide(self) -> np.ndarray:
        """X in extended precision."""
        return self.x.astype(Wide)

    @property
    def least(self) -> Wide:
        """Twice the error of a product below the normal range."""
        return Wide(float(PRECISION[self.x.dtype.name][1]))

    def converted(self, number: Wide) -> Wide:
        """A number in the type of X."""
        with np.errstate(all="ignore"):
            return Wide(self.x.dtype.type(number))

    def limited(self, alpha: Wide, beta: Wide) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return lowest, exact and highest elements of alpha * X + beta, limited to 0 to 1; NaN if undefined."""
        with np.errstate(all="ignore"):
            product = self.wide * alpha
            exact, size = product + beta, np.abs(product) + np.abs(beta)
            room = np.where(np.isfinite(exact), growth(2, self.x.dtype) * size + self.least, 0)
            low, value, high = (np.clip(end, 0, 1) for end in (exact - room, exact, exact + room))
        return low, value, high

    @unspecified(UNBOUND)
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["Y"].astype(Wide)), "Y")
