"""Judge and generate calls of ONNX HardSigmoid, by `spec/onnx/hardsigmoid.md`."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.ramps import Ramp
from plumbline.oracle.operator import Choose, Unspecified, unspecified
from plumbline.oracle.rounding import Wide

NUMBERS = (0.5, 1.0, 0.1, -0.25, 0.0, -2.0, 3.0, 1e-6, 1e5, float("inf"), float("nan"))
"""Values of attributes; some are beyond the range of a type, or below its normal range."""


def _default_for_zero(definition: Any, entry: Divergence) -> bool:
    """Elements are what the defaults give in the place of an alpha or beta of 0."""
    if entry.where is None or all(definition.numbers):
        return False
    defaults = (Wide(np.float32(0.2)), Wide(np.float32(0.5)))
    low, _, high = definition.limited(*(number or other for number, other in
                                        zip(definition.numbers, defaults, strict=True)))
    where, room = tuple(entry.where.T), 2.0**-20  # a runtime may compute float64 in float32
    return bool(np.all((low[where] - room <= entry.got) & (entry.got <= high[where] + room)))


class HardSigmoid(Ramp):
    """A call of HardSigmoid under one version of its specification."""

    symptoms = {**Ramp.symptoms, "default-for-zero": _default_for_zero}

    clauses = {"Y.F2": "any_other", "Y.U1": "not_a_number"}

    @property
    def numbers(self) -> tuple[Wide, Wide]:
        """alpha and beta as the attributes hold them."""
        return Wide(np.float32(self.attribute("alpha"))), Wide(np.float32(self.attribute("beta")))

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The formula, with alpha and beta as they are."""
        return np.asarray(self.limited(*self.numbers)[1].astype(self.x.dtype))

    def within(self, got: np.ndarray, alpha: Wide, beta: Wide) -> np.ndarray:
        """bool: which elements are within the rounding errors."""
        low, _, high = self.limited(alpha, beta)
        given = got.astype(Wide)
        return np.asarray((low <= given) & (given <= high))

    turns = ()

    def enclosure(self) -> dict[str, Ends]:
        """Return ends within the rounding errors, with alpha and beta as they are, or in the type of X."""
        low, _, high = self.limited(*self.numbers)
        converted = [self.converted(number) for number in self.numbers]
        other, _, another = self.limited(*converted)
        return {"Y": Ends(low, high).joined(Ends(other, another).where(~self.without_number(*converted)))}

    def without_number(self, alpha: Wide, beta: Wide) -> np.ndarray:
        """Return the mask of elements for which alpha X + beta is NaN, its product rounded to the type of X."""
        with np.errstate(all="ignore"):
            return np.asarray(np.isnan((self.wide * alpha).astype(self.x.dtype).astype(Wide) + beta))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the rounding errors, with alpha and beta as they are."""
        return self.within(got, *self.numbers)

    @unspecified("Y.U1")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(self.without_number(*self.numbers), "Y")

    @unspecified("alpha.U1")
    def type_of_numbers(self) -> Unspecified | None:
        alpha, beta = (self.converted(number) for number in self.numbers)
        if (alpha, beta) == self.numbers:
            return None
        without, value = self.without_number(alpha, beta), self.limited(alpha, beta)[1]
        return Unspecified.of(np.ones(self.x.shape, bool), "Y", seeds=lambda: [value.astype(self.x.dtype)],
                              admits=lambda got: without | self.within(got, alpha, beta))

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes, each set or not, and the shape of X."""
        hint, shapes = super().form(choose, version)
        return {**{name: choose(NUMBERS) for name in ("alpha", "beta") if choose((False, True))}, **hint}, shapes
