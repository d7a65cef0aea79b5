"""The square root of each element, rounded to nearest."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.accuracy import RealValues
from plumbline.oracle.families.unary import Unary
from plumbline.oracle.rounding import Wide, ulps


class Root(Unary):
    """A call of Sqrt."""

    operator = "Sqrt"
    function = staticmethod(np.sqrt)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The root; float16 and bfloat16 by way of float32, whose digits suffice (see `families.arithmetic`)."""
        return np.asarray(np.sqrt(operands[0]))

    @cached_property
    def positive(self) -> np.ndarray:
        """bool: where X is a positive finite number."""
        with np.errstate(invalid="ignore"):  # bfloat16 warns of NaN
            return np.asarray((self.x > 0) & np.isfinite(self.x))

    def real_values(self) -> RealValues | None:
        """The roots of positive numbers."""
        return RealValues(np.sqrt(np.where(self.positive, self.x, 0).astype(Wide)), self.positive, (self.x,), 1)

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of the roots of positive numbers, in ulp."""
        where = self.positive & np.isfinite(got)
        if not where.any():
            return {}
        exact = np.sqrt(self.x[where].astype(Wide))
        return {"largest error in ulp": ulps(np.asarray(got)[where], self.canonical["Y"][where], exact)}
