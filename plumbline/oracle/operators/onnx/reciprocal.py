"""Judge and generate calls of ONNX Reciprocal, by `spec/onnx/reciprocal.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.accuracy import RealValues, in_range
from plumbline.oracle.ends import Ends, of_one_operation
from plumbline.oracle.families.elementwise import beyond, nearest
from plumbline.oracle.families.unary import ExactUnary
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.rounding import Wide, overflown


class Reciprocal(ExactUnary):
    """A call of Reciprocal under one version of its specification."""

    clauses = {"Y.F1": "any_other", "Y.U3": "zeros"}
    function = staticmethod(np.reciprocal)
    turns = (0.0,)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the reciprocals, rounded as by IEEE 754."""
        return np.asarray(np.divide(self.x.dtype.type(1), self.x))

    @property
    def defined(self) -> np.ndarray:
        """bool: where X is finite and not zero."""
        return np.asarray(np.isfinite(self.x) & (self.x != 0))

    def exact_at(self, place: tuple[int, ...]) -> Fraction:
        """The exact reciprocal."""
        return 1 / Fraction(float(self.x[place]))

    def real_values(self) -> RealValues | None:
        """The reciprocals, rounded once to extended precision."""
        with np.errstate(all="ignore"):
            exact = 1 / self.x.astype(Wide)
        return RealValues(exact, in_range(exact, self.defined, self.x.dtype), (self.x,), 1)

    def enclosure(self) -> dict[str, Ends]:
        """The result of one rounding."""
        return {"Y": of_one_operation(self.canonical["Y"], self.defined)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements equal to, or within the rounding error of, the reciprocal."""
        return nearest(got, self.canonical["Y"], self.exact_at, self.defined)

    @unspecified("Y.U1")
    def overflow(self) -> Unspecified | None:
        y = self.canonical["Y"]
        return Unspecified.of(beyond(y, self.exact_at, self.defined), "Y", admits=lambda got: overflown(got, y))

    @unspecified("Y.U2")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.asarray((self.x != self.x) | (self.x == 0)), "Y")
