"""Functions of one number that no text says how exactly to compute: what is judged all the same, and what is shown.

The exact value E is computed in extended precision. An answer is explained by some rounding if it is within E/4 of E,
which is the error of one rounding to two binary digits, the shortest significand that ONNX has (that of FLOAT4E2M1);
or within the smallest normal number, below which implementations give zero; or, of a function that cancels, within four
roundings of a number of 1 in the coarsest type of the text: a formula such as (1 - e) / (1 + e) has so many, and what
is left of a difference has no digit that is right. How near an answer is beyond that is measured, and no verdict.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.profile import FLOATS, last_index
from plumbline.oracle.families.unary import OnnxUnary, Unary
from plumbline.oracle.operator import Allowance, Predicate, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps

TWO_DIGITS = Wide(1) / 4
"""The largest relative error of one rounding to two binary digits."""

ROUNDINGS = 4
OTHER = "not the value of the function, whatever the rounding"


def explained(got: np.ndarray, exact: np.ndarray, dtype: np.dtype, least: np.ndarray | Wide | float = 0,
              relative: np.ndarray | Wide = TWO_DIGITS) -> np.ndarray:
    """bool: which elements of `got` are within the bounds of the module of `exact` (extended precision, no NaN), or
    within `least` of it; `relative` is for bounds other than a quarter. Beyond the largest number of the type, and
    where that is within the bounds, the infinity and the largest number are one."""
    largest = Wide(float(PRECISION[dtype.name][2]))
    given, held = np.asarray(got).astype(Wide), np.clip(exact, -largest, largest)
    room = np.maximum(np.abs(held) * relative, np.maximum(smallest_normal(dtype), least))
    with np.errstate(invalid="ignore"):
        near = np.abs(given - held) <= room
        overflown = np.isinf(given) & (np.signbit(given) == np.signbit(held)) & (np.abs(held) + room > largest)
    return np.asarray(near | overflown)


class Approximated(Unary):
    """A call of a function of one number."""

    exact = False

    function: ClassVar[Any]
    """A function of numpy from extended precision to extended precision; NaN and infinities where it has no finite
    value."""

    known: ClassVar[tuple[float, ...]] = ()
    """The numbers, infinities included, at which its value is a number of every type, or an infinity."""

    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)
    """The closed interval of its values."""

    cancels: ClassVar[bool] = False
    """Whether formulas for it subtract what is nearly equal."""

    flag_notes = {**Unary.flag_notes,
                  "beside-an-end": "Some value is so near an end of the range of the function, other than zero, that "
                                   "an error of a few units in the last place would leave it."}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        few = 4 * Wide(float(PRECISION[self.x.dtype.name][0]))
        return {"beside-an-end": any(bool((self.approximated & (np.abs(self.value_of - end) <= few)).any())
                                     for end in self.range if np.isfinite(end) and end)}

    @cached_property
    def value_of(self) -> np.ndarray:
        """The exact values, in extended precision."""
        with np.errstate(all="ignore"):
            return np.asarray(type(self).function(self.x.astype(Wide)), Wide)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The exact values, rounded."""
        return np.asarray(self.value_of.astype(self.x.dtype))

    @cached_property
    def at_known(self) -> np.ndarray:
        """bool: where the value is known to the last digit."""
        return np.isin(self.x.astype(Wide), np.array(self.known, Wide))

    @cached_property
    def approximated(self) -> np.ndarray:
        """bool: where the value is a number that is known to as many digits as one computes."""
        return np.asarray(np.isfinite(self.x.astype(Wide)) & np.isfinite(self.value_of) & ~self.at_known)

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: where the value of a finite number is above the largest finite number."""
        wide = self.x.astype(Wide)
        largest = Wide(float(PRECISION[self.x.dtype.name][2]))
        return np.asarray(np.isfinite(wide) & ~self.at_known & (self.value_of > largest))

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are not in the range, NaN included."""
        low, high = self.range
        given = np.asarray(got).astype(Wide)
        return np.asarray(~((given >= low) & (given <= high)))

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are explained by some rounding, and in the range."""
        where = self.approximated | self.beyond
        exact = np.where(where, self.value_of, 0)
        return np.asarray(explained(got, exact, self.x.dtype, self.least) & ~self.outside(got))

    @property
    def least(self) -> np.ndarray | Wide | float:
        """How far an answer may be off, however small the value."""
        return ROUNDINGS * max(Wide(float(PRECISION[name][0])) for name in self.types) if self.cancels else 0

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp, where the value is a number of the range of the type."""
        where = self.approximated & ~self.beyond & np.isfinite(np.asarray(got).astype(Wide))
        if not where.any():
            return {}
        wanted, exact = self.canonical[output][where], self.value_of[where]
        return {"largest error in ulp": ulps(np.asarray(got)[where], wanted, exact)}

    @on_elements(UNBOUND, "", "not the value that is known to the last digit")
    def at_known_numbers(self, got: np.ndarray) -> np.ndarray:
        return self.at_known

    @on_elements(UNBOUND, "", "not in the range of the function")
    def in_range(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.approximated | self.beyond) & self.outside(got))

    any_other = elements_of(UNBOUND, "", OTHER)

    @unspecified(UNBOUND)
    def accuracy(self) -> Unspecified | None:
        where = self.approximated & ~self.beyond
        return Unspecified({self.output: Allowance(where, self.explains, observed=True)}) if where.any() else None

    @staticmethod
    def zero_is_open(clause: str) -> Predicate:
        """Where the value is known to be a zero, either is given."""
        def zero(self: Approximated) -> Unspecified | None:
            y = self.canonical[self.output]
            return Unspecified.of(np.asarray(y == 0), self.output, admits=lambda got: got == 0)
        return Predicate("open", clause, zero)

    @staticmethod
    def overflow_is_open(clause: str) -> Predicate:
        """Where the value is above the largest number, that number or the infinity is given."""
        def overflow(self: Approximated) -> Unspecified | None:
            return Unspecified.of(self.beyond, "Y", admits=self.explains)
        return Predicate("open", clause, overflow)


class OnnxApproximated(Approximated, OnnxUnary):
    """Under a text of ONNX, whose version 13 brought bfloat16."""

    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}

    types_1 = element_type(UNBOUND, "X", FLOATS)
    types_13 = element_type(UNBOUND, "X", ("bfloat16", *FLOATS))
    type_of_y = type_of_output(UNBOUND, "Y", lambda self: self.x.dtype)

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        return Unspecified.of(np.asarray(self.x != self.x), self.output)


class SonnxApproximated(Approximated):
    """Under a text of the profile, which has NaN for NaN."""

    types = dict.fromkeys(FLOATS, 1)

    no_attribute = attributes_of(UNBOUND, {})
    types_of_x = element_type(UNBOUND, "X", FLOATS)
    type_of_y = type_of_output(UNBOUND, "Y", lambda self: self.x.dtype)
    index = evidence(UNBOUND)(last_index)

    @on_elements(UNBOUND, "Y", "not NaN")
    def nan_for_nan(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(np.isnan(self.canonical["Y"]))

    @unspecified(UNBOUND)
    def bits(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["Y"]), "Y", admits=np.isnan)
