"""Functions of one number whose accuracy no specification states.

The exact value E = f(X) is computed in extended precision. With u the largest relative error of one rounding to the
element type, an answer may differ from E by ``u * (k |E| + m |X f'(X)| + c)``, for each function its own k, m and c:
k roundings of the result, m of the argument (each times the condition of the function), and c of a number of 1 on the
way, for formulas that subtract what is nearly equal. Below the smallest normal number implementations give zero. How
near an answer is beyond that is measured, and no verdict.

k is what the table of OpenCL C 3.0 (7.4, single precision) allows, where a unit in the last place is two roundings:
exp and log 3, tanh 5, pow 16, divide 2.5; m are the product with 1 / ln 2 and its constant (Cody and Waite, Software
Manual for the Elementary Functions, 1980, chapter 6, without the split of the constant).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.accuracy import RealValues
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.profile import FLOATS, last_index
from plumbline.oracle.families.unary import OnnxUnary, Unary
from plumbline.oracle.operator import Allowance, Predicate, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.predicates import UNBOUND
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps
from plumbline.oracle.type_names import name_of

OTHER = "not the value of the function, whatever the rounding"


def explained(got: np.ndarray, exact: np.ndarray, dtype: np.dtype, room: np.ndarray) -> np.ndarray:
    """bool: which elements of `got` are within `room`, or the smallest normal number, of `exact` (no NaN).

    `exact` and `room` are in extended precision. Where both reach beyond the largest number of the type, the infinity
    is one of them, and where `exact` is beyond it, the largest number."""
    largest = Wide(float(PRECISION[name_of(dtype)][2]))
    given, size = np.asarray(got).astype(Wide), np.abs(exact)
    room = np.maximum(room, smallest_normal(dtype))
    with np.errstate(invalid="ignore"):
        near = np.abs(given - exact) <= room
        if size.max(initial=0) <= largest and np.isfinite(given).all():
            return np.asarray(near)
        least = np.where(np.isfinite(size), np.minimum(size - room, largest), largest)
        overflown = np.where(size > largest, np.abs(given) >= least, np.isinf(given) & (size + room > largest))
    return np.asarray(np.isfinite(size) & near | overflown & (np.signbit(given) == np.signbit(exact)))


def roundoff(dtype: np.dtype) -> Wide:
    """Return the largest relative error of one rounding to a type."""
    return Wide(float(PRECISION[name_of(dtype)][0]))


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

    of_result: ClassVar[int]
    """k, the roundings of the result."""

    of_argument: ClassVar[int] = 2
    """m, the roundings of the argument."""

    of_one: ClassVar[int] = 0
    """c, the roundings of a number of 1, where formulas for the function subtract what is nearly equal."""

    flag_notes = {**Unary.flag_notes,
                  "beside-an-end": "Some value is so near an end of the range of the function, other than zero, that "
                                   "an error of a few units in the last place would leave it."}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        ends = [end for end in self.range if np.isfinite(end) and end and is_float(self.x.dtype)]
        return {"beside-an-end": any(bool((self.approximated & (np.abs(self.value_of - end) <= 4 * self.unit)).any())
                                     for end in ends)}

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
        """bool: where the value is a number that is known to as many digits as one computes; of no integer."""
        finite = np.isfinite(self.x.astype(Wide)) & np.isfinite(self.value_of)
        return np.asarray(finite & ~self.at_known & is_float(self.x.dtype))

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: where the value of a finite number is above the largest finite number; of no integer."""
        if not is_float(self.x.dtype):
            return np.zeros(self.x.shape, bool)
        wide = self.x.astype(Wide)
        largest = Wide(float(PRECISION[name_of(self.x.dtype)][2]))
        return np.asarray(np.isfinite(wide) & ~self.at_known & (self.value_of > largest))

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are beyond the range by more than one number of the type, NaN included."""
        step = 1 + 2 * self.unit
        low, high = (end * step if np.isfinite(end) else end for end in self.range)
        given = np.asarray(got).astype(Wide)
        return np.asarray(~((given >= low) & (given <= high)))

    @property
    def unit(self) -> Wide:
        """u; 0 for a type of integers."""
        return roundoff(self.x.dtype) if is_float(self.x.dtype) else Wide(0)

    def condition(self) -> np.ndarray:
        """Return |X f'(X)|, in extended precision; what stands where the value is no number is not read."""
        raise NotImplementedError

    @cached_property
    def room(self) -> np.ndarray:
        """The distance from the exact value that roundings explain, in extended precision."""
        with np.errstate(all="ignore"):
            roundings = (self.of_result * np.abs(self.value_of) + self.of_argument * self.condition() + self.of_one)
        return np.asarray(np.where(self.approximated | self.beyond, self.unit * roundings, 0))

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are explained by some rounding, and in the range; none of integers."""
        if not is_float(self.x.dtype):
            return np.zeros(self.x.shape, bool)
        exact = np.where(self.approximated | self.beyond, self.value_of, 0)
        return np.asarray(explained(got, exact, self.x.dtype, self.room) & ~self.outside(got))

    def tolerance(self) -> dict[str, float]:
        """The largest distance that roundings explain, and that of the canonical value; nothing for exact values."""
        where = self.approximated & ~self.beyond
        if not where.any() or not is_float(self.x.dtype):
            return {}
        room = np.maximum(self.room[where], smallest_normal(self.x.dtype)) + self.unit * np.abs(self.value_of[where])
        return {self.output: float(room.max())}

    def enclosure(self) -> dict[str, Ends]:
        """Return ends as far from exact values as `explains` admits, beyond the range by one number at most."""
        return self._enclosed(self.approximated | self.beyond) if is_float(self.x.dtype) else super().enclosure()

    def enclosure_near(self) -> dict[str, Ends]:
        """Return the `enclosure` with roundings where the value is known to the last digit."""
        return self._enclosed(np.isfinite(self.value_of)) if is_float(self.x.dtype) else super().enclosure()

    def _enclosed(self, computed: np.ndarray) -> dict[str, Ends]:
        """The enclosure, where some elements are computed and the others are known."""
        exact = np.where(computed, self.value_of, self.canonical[self.output].astype(Wide))
        condition = np.where(np.isfinite(self.x.astype(Wide)), self.condition(), 0)
        room = self.unit * (self.of_result * np.abs(exact) + self.of_argument * condition + self.of_one)
        ends = Ends.around(exact, np.where(computed, np.maximum(room, smallest_normal(self.x.dtype)), 0))
        largest, step = Wide(float(PRECISION[name_of(self.x.dtype)][2])), 1 + 2 * self.unit
        low, high = (np.where(np.abs(end) > largest, np.copysign(Wide(np.inf), end), end) for end in ends)
        low = np.where(self.beyond, np.minimum(low, largest), low)
        return {self.output: Ends(np.where(computed, np.maximum(low, self.range[0] * step), exact),
                                  np.where(computed, np.minimum(high, self.range[1] * step), exact))}

    extended_ulps: ClassVar[int] = 16
    """A bound on the error of `function`, in units in the last place of extended precision: libraries have at most 5
    (the GNU C Library manual, Known Maximum Errors in Math Functions)."""

    def real_values(self) -> RealValues | None:
        """The values of `function`."""
        return RealValues(self.value_of, self.approximated & ~self.beyond, (self.x,), self.extended_ulps) \
            if is_float(self.x.dtype) else None

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
        """Return a U clause: where the value is known to be a zero, either conforms."""
        def zero(self: Approximated) -> Unspecified | None:
            y = self.canonical[self.output]
            return Unspecified.of(np.asarray(y == 0), self.output, admits=lambda got: got == 0)
        return Predicate("open", clause, zero)

    zeros = zero_is_open(UNBOUND)

    @staticmethod
    def overflow_is_open(clause: str) -> Predicate:
        """Return a U clause: above the largest number, that number or the infinity conforms."""
        def overflow(self: Approximated) -> Unspecified | None:
            return Unspecified.of(self.beyond, "Y", admits=self.explains)
        return Predicate("open", clause, overflow)


class OnnxApproximated(Approximated, OnnxUnary):
    """Under a text of ONNX, whose version 13 brought bfloat16."""

    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}

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
