"""The square root of each element, rounded to nearest."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.accuracy import RealValues
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.unary import Unary
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps
from plumbline.oracle.type_names import name_of


class Root(Unary):
    """A call of Sqrt."""

    operator = "Sqrt"
    turns = ()
    function = staticmethod(np.sqrt)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The root; float16 and bfloat16 by way of float32, whose digits suffice (see `families.arithmetic`)."""
        return np.asarray(np.sqrt(operands[0]))

    @cached_property
    def positive(self) -> np.ndarray:
        """bool: where X is a positive finite number."""
        with np.errstate(invalid="ignore"):  # bfloat16 warns of NaN
            return np.asarray((self.x > 0) & np.isfinite(self.x))

    def enclosure(self) -> dict[str, Ends]:
        """Return ends of roots that are rounded once or twice; of types of 16 bits within the smallest normal number.

        Below the normal range, 0 is between the ends, too."""
        root, unit = self.canonical["Y"].astype(Wide), Wide(float(PRECISION[name_of(self.x.dtype)][0]))
        least = smallest_normal(self.x.dtype) if self.x.dtype.itemsize == 2 else 0
        ends = Ends.around(root, np.where(self.positive, np.maximum(3 * unit * root, least), 0))
        tiny = self.positive & (self.x.astype(Wide) < smallest_normal(self.x.dtype))
        return {"Y": Ends(np.where(tiny, 0, ends.low), ends.high)}

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
