"""Judge and generate calls of ONNX HardSigmoid and HardSwish, by `spec/onnx/hardsigmoid.md` and the like."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.ramps import Ramp
from plumbline.oracle.operator import Choose, Unspecified, evidence, unspecified
from plumbline.oracle.rounding import Wide, growth

NUMBERS = (0.5, 1.0, 0.1, -0.25, 0.0, -2.0, 3.0, 1e-6, 1e5, float("inf"), float("nan"))
"""Values of attributes; some are beyond the range of a type, or below its normal range."""


def _default_for_zero(definition: Any, entry: Divergence) -> bool:
    """Elements are what the defaults give in the place of an alpha or beta that is 0 in the type of X."""
    with np.errstate(over="ignore", under="ignore"):
        of_type = [float(definition.x.dtype.type(number)) for number in definition.numbers]
    if entry.where is None or all(of_type):
        return False
    defaults = (Wide(np.float32(0.2)), Wide(np.float32(0.5)))
    low, _, high = definition.limited(*(number if kept else default for number, kept, default in
                                        zip(definition.numbers, of_type, defaults, strict=True)))
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
        given, within = got.astype(Wide), np.zeros(got.shape, bool)
        for ends in self._readings():
            within |= (ends.low <= given) & (given <= ends.high)
        return within

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
