"""Define operators by their function body in ONNX's schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, reduce
from itertools import product
from typing import ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends, least_of
from plumbline.oracle.families.body_symptoms import SYMPTOMS
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.functions import enclosed_by_body
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Unspecified, on_elements, unspecified
from plumbline.oracle.rounding import Wide

NUMBERS = (0.5, 1.0, 2.0, 0.1, -0.25, 0.0, 3.0, 1e-6, 1e5, float("inf"), float("nan"))
"""Values of attributes; some are beyond the range of a type, or below its normal range."""


class ByBody(OnnxUnary):
    """A call of a function of one number, computed through the specifications of the operators of its body."""

    exact = False
    symptoms = {**OnnxUnary.symptoms, **SYMPTOMS}
    numbers: ClassVar[tuple[str, ...]] = ()
    """Attributes that are floats, which the body casts to the type of the input; elements are monotone in them."""

    first_body: ClassVar[int] = 0
    """The first version with a body, which is read in those before it too."""

    compares: ClassVar[bool] = False
    """True if the body compares elements with zero."""

    keeps_zero: ClassVar[bool] = False
    """True if the body gives a zero as it is."""

    formula: ClassVar[str] = ""
    """A function in ONNX's text form, where the summary gives another; what either gives conforms."""

    @cached_property
    def by_body(self) -> tuple[np.ndarray, Ends]:
        """Return the canonical output, and the ends of what conforms; NaN where anything does."""
        return self._at_numbers({name: self.attribute(name) for name in self.numbers})

    def _at_numbers(self, numbers: Mapping[str, float], formula: str = "") -> tuple[np.ndarray, Ends]:
        """Return what `by_body` does, computed once for equal elements, which tensors of 16 bits have many of."""
        _, first, places = np.unique(self.x.view(f"u{self.x.itemsize}"), return_index=True, return_inverse=True)
        distinct, places = self.x.reshape(-1)[first], places.reshape(self.x.shape)
        found, ends = _computed(self.between, self.version, tuple(numbers.items()), formula, distinct.dtype,
                                distinct.tobytes())
        return np.asarray(found[places]), Ends(*(np.asarray(end[places]) for end in ends))

    @classmethod
    def between(cls, version: int, numbers: Mapping[str, float], formula: str,
                *at: np.ndarray) -> tuple[np.ndarray, Ends]:
        """Return what `by_body` does, for an input and the ends between which it may lie; NaN for NaN, which no body
        decides."""
        operator = cls.operator or cls.__name__
        nan = np.logical_or.reduce([x != x for x in at])
        value, low, high = (Call(operator, numbers, {cls.names[0]: np.where(nan, x.dtype.type(0), x)}) for x in at)
        name = f"onnx/{operator.lower()}@{max(version, cls.first_body)}"
        found, ends = enclosed_by_body(name, value, low, high, formula)[cls.output]
        return np.where(nan, found.dtype.type(np.nan), found), ends.where(~nan)

    @cached_property
    def beside(self) -> list[dict[str, float]]:
        """The attributes, or for one that the type of the input lacks the numbers on either side, in all pairs."""
        choices = []
        for number in (float(np.float32(self.attribute(name))) for name in self.numbers):
            ends = Ends.around(np.asarray(number)).outward(self.x.dtype)
            choices.append(sorted({float(end) for end in ends}) if np.isfinite(number) else [number])
        return [dict(zip(self.numbers, chosen, strict=True)) for chosen in product(*choices)]

    @cached_property
    def by_neighbors(self) -> Ends:
        """Return the ends of the body for all numbers on either side of attributes."""
        if len(self.beside) == 1:
            return self.by_body[1]
        return reduce(Ends.joined, (self._at_numbers(numbers)[1] for numbers in self.beside))

    @cached_property
    def by_formula(self) -> Ends:
        """Return the ends of the formula, likewise."""
        return reduce(Ends.joined, (self._at_numbers(numbers, self.formula)[1] for numbers in self.beside))

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the canonical output of the body; `operands` are those of the call, and ignored."""
        return self.by_body[0]

    def enclosure(self) -> dict[str, Ends]:
        """Return the ends of what conforms."""
        return {self.output: self.by_neighbors.joined(self.by_formula) if self.formula else self.by_neighbors}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return the ends of what conforms for inputs between those of two calls, below zero and above apart."""
        x, lower, upper = at = [each.inputs[self.names[0]] for each in (self, low, high)]
        readings = [(numbers, formula) for numbers in self.beside for formula in {"", self.formula}]

        def over(*at: np.ndarray) -> Ends:
            return reduce(Ends.joined, (self.between(self.version, *reading, *at)[1] for reading in readings))
        if not self.compares:
            return {self.output: over(*at)}
        last = x.dtype.type(-least_of(x.dtype))
        both = over(*(np.stack([np.minimum(each, last), np.maximum(each, x.dtype.type(0))]) for each in at))
        below, above = (Ends(*(np.asarray(end[side]) for end in both)) for side in (0, 1))
        return {self.output: below.joined(above).where((lower < 0) & ~(upper < 0), below.where(upper < 0, above))}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements between the ends."""
        return np.asarray(self._is_inside(got, self.by_body[1]) | self.is_open & (got != got))

    def _is_inside(self, got: np.ndarray, ends: Ends) -> np.ndarray:
        """Return the mask of elements between ends; zeros that keep their sign have it."""
        given = got.astype(Wide)
        with np.errstate(invalid="ignore"):
            mask = (given >= ends.low) & (given <= ends.high)
        return np.asarray(mask & ~(self.kept_zero & (np.signbit(got) != np.signbit(self.by_body[0]))))

    @property
    def kept_zero(self) -> np.ndarray:
        """Return the mask of zeros that keep their sign."""
        return np.asarray((self.x == 0) & (self.keeps_zero and self.version >= self.first_body))

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

    @on_elements(UNBOUND, "", "not the zero that the input is")
    def zeros_kept(self, got: np.ndarray) -> np.ndarray:
        return self.kept_zero

    any_other = elements_of(UNBOUND, "", "not what the function body gives")

    @unspecified(UNBOUND)
    def undecided(self) -> Unspecified | None:
        return Unspecified.of(self.is_open, self.output)

    @unspecified(UNBOUND)
    def type_of_numbers(self) -> Unspecified | None:
        if len(self.beside) == 1:
            return None
        return self._besides(lambda: self.by_neighbors)

    @unspecified(UNBOUND)
    def formula_of_summary(self) -> Unspecified | None:
        return self._besides(lambda: self.by_formula)

    def _besides(self, ends: Callable[[], Ends]) -> Unspecified | None:
        """Admit what lies between ends, and anything where they are NaN.

        They are asked for only if the body does not give an element."""
        def admits(got: np.ndarray) -> np.ndarray:
            mask = self._is_inside(got, self.by_body[1])
            return mask if mask.all() else mask | self._is_inside(got, ends()) | np.isnan(ends().low)
        return Unspecified.of(np.ones(self.x.shape, bool), self.output, admits=admits)

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes, each set or not, and the shape of X."""
        hint, shapes = super().form(choose, version)
        return {**{name: choose(NUMBERS) for name in cls.numbers if choose((False, True))}, **hint}, shapes


@lru_cache(16)
def _computed(between: Callable[..., tuple[np.ndarray, Ends]], version: int, numbers: tuple[tuple[str, float], ...],
              formula: str, dtype: np.dtype, elements: bytes) -> tuple[np.ndarray, Ends]:
    """Return what `ByBody.between` does for exact elements, which enclosures ask for several times in turn."""
    x = np.frombuffer(elements, dtype)
    return between(version, dict(numbers), formula, x, x, x)
