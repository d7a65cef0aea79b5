"""Define operators by their function body in ONNX's schema."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.functions import enclosed_by_body
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import UNBOUND, Operator, Unspecified, unspecified
from plumbline.oracle.rounding import Wide


class ByBody(OnnxUnary):
    """A call of a function of one number, computed through the specifications of the operators of its body."""

    exact = False

    @cached_property
    def by_body(self) -> tuple[np.ndarray, Ends]:
        """Return the canonical output, and the ends of what conforms; NaN where anything does."""
        return self._between(self, self)

    def _between(self, low: Operator, high: Operator) -> tuple[np.ndarray, Ends]:
        name = f"onnx/{type(self).__name__.lower()}@{self.version}"
        return enclosed_by_body(name, self.call, low.call, high.call)[self.output]

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the canonical output of the body; `operands` are those of the call, and ignored."""
        return self.by_body[0]

    def enclosure(self) -> dict[str, Ends]:
        """Return the ends of what conforms."""
        return {self.output: self.by_body[1]}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return the ends of what conforms for inputs between those of two calls."""
        return {self.output: self._between(low, high)[1]}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements between the ends."""
        low, high = self.by_body[1]
        given = got.astype(Wide)
        with np.errstate(invalid="ignore"):
            return np.asarray((given >= low) & (given <= high) | self.is_open & (got != got))

    @property
    def is_open(self) -> np.ndarray:
        """Return the mask of elements of which the body decides nothing."""
        return np.asarray(np.isnan(self.by_body[1].low) | np.isnan(self.by_body[1].high))

    def tolerance(self) -> dict[str, float]:
        """Return the largest distance of an end from the canonical value."""
        wide = self.by_body[0].astype(Wide)
        with np.errstate(invalid="ignore"):
            distances = [np.abs(end - wide) for end in self.by_body[1]]
        return {self.output: float(np.max([np.where(np.isfinite(each), each, 0) for each in distances], initial=0))}

    any_other = elements_of(UNBOUND, "", "not what the function body gives")

    @unspecified(UNBOUND)
    def undecided(self) -> Unspecified | None:
        return Unspecified.of(self.is_open, self.output)
