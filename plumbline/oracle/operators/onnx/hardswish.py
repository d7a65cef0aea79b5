"""Judge and generate calls of ONNX HardSwish, by `spec/onnx/hardswish.md`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from plumbline.oracle.ends import Ends
from plumbline.oracle.families.ramps import Ramp
from plumbline.oracle.operator import evidence
from plumbline.oracle.rounding import Wide, growth

SIXTHS = (Wide(1) / 6, Wide(np.float32(0.16666667)))
"""alpha in the summary, and in the function body."""


class HardSwish(Ramp):
    """A call of HardSwish under one version of its specification."""

    clauses = {"Y.F2": "any_other", "Y.U1": "not_a_number"}

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The formula of the summary."""
        return np.asarray((self.wide * self.limited(SIXTHS[0], Wide(0.5))[1]).astype(self.x.dtype))

    def _readings(self) -> Iterator[Ends]:
        """Yield what is within the rounding errors, with either alpha, as it is or in the type of X."""
        for alpha in (*SIXTHS, *(self.converted(sixth) for sixth in SIXTHS)):
            low, _, high = self.limited(alpha, Wide(0.5))
            with np.errstate(all="ignore"):
                ends = np.sort([self.wide * low, self.wide * high], axis=0)
                room = np.where(np.isfinite(self.wide), growth(2, self.x.dtype) * np.abs(ends) + self.least, 0)
                yield Ends(ends[0] - room[0], ends[1] + room[1])

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within one of the readings."""
        given, found = got.astype(Wide), np.zeros(got.shape, bool)
        for ends in self._readings():
            found |= (ends.low <= given) & (given <= ends.high)
        return found

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return the mask of elements at which two readings exclude each other, by output."""
        readings = list(self._readings())
        return {"Y": np.any([(one.low > other.high) for one in readings for other in readings], axis=0)}

    def enclosure(self) -> dict[str, Ends]:
        """Return ends around all readings."""
        return {"Y": reduce(Ends.joined, self._readings())}

    @evidence("Y.E1")
    def two_sixths() -> str:
        """The two numbers."""
        sixth, other = (float(number) for number in SIXTHS)
        assert sixth != other
        return f"1/6 is {sixth!r} in float64, and 0.16666667 as an attribute holds it {other!r}"
