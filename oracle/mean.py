"""The mean over windows, and the rounding error that a conforming mean may have: the fast oracle of means.

The error bound. Let a window select n elements x of precision u (half the distance from 1 to the next number), and let
D be the divisor. Any order of summation makes each x carry at most n - 1 rounding errors of the form (1 + delta),
|delta| <= u (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2); a division adds one, a
multiplication by a rounded reciprocal two, and it makes no difference whether they come before the sum or after.
Hence |computed - mean| <= ((1 + u)**(n + 1) - 1) * sum|x| / D, exactly, also where n*u is near 1. Where D is no number
of the type, which it may be above 1/u, its own rounding is one more error, and the exponent n + 2. Results below the
normal range add an absolute error of at most eta/2 for each of at most n divisions, eta being the smallest subnormal.
Sums in a higher precision, rounded once at the end, lie within the same bound. It is not valid where the reciprocal of
D is subnormal (D above 2**14 in float16).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from plumbline.oracle.answer import Answer, is_float
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.windows import Windows

PRECISION = {
    # element type: (u, eta, largest finite value)
    "bfloat16": (Fraction(1, 2**8), Fraction(1, 2**133), Fraction(255 * 2**120)),
    "float16": (Fraction(1, 2**11), Fraction(1, 2**24), Fraction(65504)),
    "float32": (Fraction(1, 2**24), Fraction(1, 2**149), Fraction((2**24 - 1) * 2**104)),
    "float64": (Fraction(1, 2**53), Fraction(1, 2**1074), Fraction((2**53 - 1) * 2**971)),
}
SLACK = 1e-9
"""Relative room left around the bound, which is itself computed in floating point: what falls within it, or within the
certified error of the sum, is decided with exact fractions."""

Wide = np.longdouble


@dataclass(frozen=True, eq=False)
class Means(Windows):
    """The means of windows over floating-point numbers.

    include_padding: whether padding cells count in the divisor."""

    include_padding: bool

    @cached_property
    def _pass(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        total, size = np.zeros(self.shape, dtype=Wide), np.zeros(self.shape, dtype=Wide)
        finite = np.ones(self.shape, dtype=bool)
        wide = self.x.astype(Wide)
        is_finite = np.isfinite(wide)
        kept = np.where(is_finite, wide, 0)
        for tap in self.taps:
            finite[:, :, *tap.windows] &= is_finite[:, :, *tap.cells]
            total[:, :, *tap.windows] += kept[:, :, *tap.cells]
            size[:, :, *tap.windows] += np.abs(kept[:, :, *tap.cells])
        return total, size, finite

    @property
    def all_finite(self) -> np.ndarray:
        """Where the window selects neither NaN nor infinity."""
        return self._pass[2]

    @cached_property
    def may_overflow(self) -> np.ndarray:
        """Where the sum of absolute values exceeds the largest finite value of the type."""
        return self._pass[1] > Wide(float(PRECISION[self.x.dtype.name][2]))

    @cached_property
    def beyond_padding(self) -> np.ndarray:
        """Where the window reaches beyond the padded input."""
        beyond = np.zeros(self.counts, dtype=bool)
        ends = zip(self.geometry.positions(self.counts), self.geometry.sizes, self.geometry.end, strict=True)
        for axis, (places, size, end) in enumerate(ends):
            shape = [1] * len(self.counts)
            shape[axis] = -1
            beyond |= (places >= size + end).any(axis=1).reshape(shape)
        return np.broadcast_to(beyond, self.shape)

    def divisor(self, include_padding: bool) -> np.ndarray:
        """The divisor of each window; 1 where it would be 0."""
        if include_padding:
            return np.full(self.shape, prod(self.geometry.kernel), dtype=np.int64)
        return np.asarray(np.maximum(self.selected, 1))

    @cached_property
    def wide(self) -> np.ndarray:
        """The means in extended precision."""
        return np.asarray(self._pass[0] / self.divisor(self.include_padding))

    @cached_property
    def values(self) -> np.ndarray:
        """The means, rounded to the type of X."""
        with np.errstate(over="ignore"):
            return self.wide.astype(self.x.dtype)

    def wrong(self, got: np.ndarray, include_padding: bool | None = None) -> np.ndarray:
        """Where `got`, numbers of the output's shape, lies outside the bound of the module's text."""
        include = self.include_padding if include_padding is None else include_padding
        (total, size, _), selected = self._pass, self.selected
        divisor = self.divisor(include)
        u, eta, _ = PRECISION[self.x.dtype.name]
        share = size / divisor
        bound = np.expm1(self._roundings(divisor) * np.log1p(Wide(float(u)))) * share + selected * Wide(float(eta))
        certified = (selected + 3) * np.finfo(Wide).eps * share
        found = np.asarray(got).astype(Wide)
        with np.errstate(invalid="ignore"):
            distance = np.abs(found - total / divisor)
            surely_right = distance + certified <= bound * (1 - SLACK) - selected * Wide(float(eta))
            surely_wrong = ~np.isfinite(found) | (distance - certified > bound * (1 + SLACK) + Wide(float(eta)))
        wrong: np.ndarray = surely_wrong.copy()
        for place in map(tuple, np.argwhere(~surely_right & ~surely_wrong)):
            wrong[place] = self._exactly_wrong(place, found[place], int(divisor[place]))
        return wrong

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every mean lies that is not `wrong`: the largest bound of all windows,
        and the rounding of `values`."""
        total, size, _ = self._pass
        divisor, selected = self.divisor(self.include_padding), self.selected
        u, eta, _ = PRECISION[self.x.dtype.name]
        relative = np.expm1(self._roundings(divisor) * np.log1p(Wide(float(u))))
        bound = relative * size / divisor + (selected + 1) * Wide(float(eta))
        rounding = np.abs(self.values.astype(Wide) - total / divisor)
        return float(np.max(bound + rounding)) * (1 + 2 * SLACK)

    def _roundings(self, divisor: np.ndarray) -> np.ndarray:
        """How many rounding errors each element may carry."""
        return self.selected + 1 + (divisor > int(1 / PRECISION[self.x.dtype.name][0]))

    def _exactly_wrong(self, place: tuple[int, ...], got: Wide, divisor: int) -> bool:
        """The same question of one element, with fractions."""
        u, eta, _ = PRECISION[self.x.dtype.name]
        plane = self.x[place[:2]].astype(Wide).reshape(-1)
        cells = [plane[tap.index[place[2:]]] for tap in self.taps if tap.inside[place[2:]]]
        values = [Fraction(*cell.as_integer_ratio()) for cell in cells if np.isfinite(cell)]
        growth = (1 + u) ** (len(values) + 1 + (divisor * u > 1))
        bound = (growth - 1) * sum(map(abs, values), Fraction(0)) / divisor + growth * len(values) * eta / 2
        mean = sum(values, Fraction(0)) / divisor
        return abs(Fraction(*got.as_integer_ratio()) - mean) > bound

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the mean among the elements of `where`, in ulp of the mean in the type of X."""
        places = where & np.isfinite(np.asarray(got).astype(Wide))
        if not places.any():
            return 0.0
        magnitude = np.abs(self.values[places])
        if is_float(magnitude.dtype):  # the spacing at the largest value would reach beyond it
            magnitude = np.minimum(magnitude, np.nextafter(np.finfo(magnitude.dtype).max, magnitude.dtype.type(0)))
        ulp = np.spacing(magnitude).astype(Wide)
        return float(np.max(np.abs(np.asarray(got)[places].astype(Wide) - self.wide[places]) / ulp))


class MeanCall(Protocol):
    """A call as these answers read it; `automatic`: whether the padding is split automatically."""

    x: np.ndarray
    shape: tuple[int, ...]
    automatic: bool
    means: Means


class MeanAnswer(Answer):
    """An answer with the windows of its call. A wrong element is charged to the divisor when it is the mean with the
    other divisor, to the split of the padding when that is automatic, else to the value itself."""

    def __init__(self, call: MeanCall, given: Mapping[str, np.ndarray]) -> None:
        self.call = call
        super().__init__(call.x, given, call.shape, lambda name: call.means.values)

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not within the rounding error of the mean; nowhere for integers, whose rounding no text says."""
        if not is_float(self.x.dtype):
            return np.zeros(self.shape, dtype=bool)
        return self.judged("Y", self.call.means.wrong)

    @cached_property
    def other_divisor(self) -> np.ndarray:
        """Where Y is wrong and is the mean with the other divisor."""
        if not self.wrong_values.any():
            return self.wrong_values
        means = self.call.means
        return np.asarray(self.wrong_values & ~means.wrong(self.given["Y"], not means.include_padding))


def divisor(answer: MeanAnswer) -> Wrong | None:
    """Padding is counted in the divisor, or left out of it, against the call."""
    return answer.at("Y", answer.other_divisor, "the mean with padding "
                     + ("left out of" if answer.call.means.include_padding else "counted in") + " the divisor")


def mean_with_automatic_padding(answer: MeanAnswer) -> Wrong | None:
    """With automatic padding, not the mean."""
    if not answer.call.automatic:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.other_divisor, "not the mean of its window")


def mean_otherwise(answer: MeanAnswer) -> Wrong | None:
    """The same of all other calls."""
    if answer.call.automatic:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.other_divisor, "not the mean of its window")


def measure(call: MeanCall, given: Mapping[str, np.ndarray], judged: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The largest error of Y among the judged elements, in ulp."""
    return {"largest error in ulp": call.means.largest_error(given["Y"], judged["Y"])} if "Y" in judged else {}


def bind_means(bindings: Bindings, divisor_clause: str) -> None:
    """The clauses that texts on means share."""
    bindings.answer = MeanAnswer
    bindings.expected = lambda call: {"Y": call.means.values}
    bindings.measure = measure
    bindings.stacked = lambda call, count: {}
    bindings.tolerance = lambda call: {"Y": call.means.tolerance if is_float(call.x.dtype) and call.x.size else 0.0}
    bindings.on_outputs(divisor_clause)(divisor)
    bindings.on_outputs("auto_pad.F1")(mean_with_automatic_padding)
    bindings.on_outputs("Y.F1")(mean_otherwise)
