"""Softmax and LogSoftmax: exponentials over their sum, line by line.

With M the largest element of a line, E is e**(x - M) over the sum of these, in extended precision. Rounding adds, to
the numerator and to each term of the denominator, what it adds to an exponential (`families.exponentials`), whose
argument x, x - M or x - log(sum) is rounded in some form: e**(u * (3 |x - M| + 2 L)), with L the largest magnitude of
the line; and to the quotient n - 1 additions, a division or a multiplication by a reciprocal. A power below the
smallest normal number of the type may be zero. No order of the sum is preferred, nor whether M, a largest element so
far, or the logarithm of the sum is subtracted, where nothing overflows on the way: a power or a sum that overflows is
not a rounding of a number between 0 and 1.

Where the largest element so far is subtracted, a term is multiplied by one more power for each larger one that follows,
at most as many as there are different larger numbers. The arguments of these powers add up to |x - M|.

A logarithm of the sum S is off by 6 |log S| + 5 units (`families.exponentials.Logarithm`). M is subtracted first, so
that log S is at most log n, or no power overflows, so that L is at most the logarithm of the largest number. M and
log S are then added, and their sum is subtracted from x: L + log n, and 3 log n more in the argument of the power.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import OTHER, roundoff
from plumbline.oracle.families.axes import axis_of, either_end
from plumbline.oracle.families.clauses import elements_of, presence, shape_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape, a_type
from plumbline.oracle.families.exponentials import Exponential, Logarithm
from plumbline.oracle.families.line_symptoms import SYMPTOMS
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Operator, Unspecified, on_elements, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal, ulps
from plumbline.oracle.size_classes import LINES, TALL_ROWS, Named, SizeClass, a_large_output, a_tall_input

ROUNDINGS = 3
"""Beside the additions: of a power, of a reciprocal, of the quotient."""

OF_RESCALING = Exponential.of_result + 1
"""Roundings of a term that is multiplied by a power: those of the power, and of the product."""

MOST = 40
"""A logarithm of a factor that lets through any number from 0 to 1."""

FAR = 12_000
"""A distance from the largest element at which a power is zero in every type, extended precision included."""


class Normalised(Elementwise):
    """A call on lines along an axis."""

    operator = "Softmax"
    symptoms = {**Elementwise.symptoms, **SYMPTOMS}
    exact = False
    default: ClassVar[int | None] = -1
    """Of `axis`; None where it must be given."""

    counts_back = True
    """Whether `axis` may count from the back."""

    flag_notes = {
        **Elementwise.flag_notes, "negative-axis": "axis counts from the back.",
        "axis-inside": "The lines are not the last axis of X, so that their elements do not lie side by side.",
        "nothing-but-minus-infinity": "Some line holds -inf alone: its powers are zeros, and so is their sum."}

    given = presence(UNBOUND)
    shape = shape_of_output(UNBOUND, "Y")

    def computed_from(self, masks: Mapping[str, np.ndarray]) -> bool:
        """An element reads its whole line."""
        return True

    @property
    def x(self) -> np.ndarray:
        """The input."""
        return self.inputs["X"]

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        axis = int(axis_of(self, self.default))
        return axis + self.x.ndim if axis < 0 else axis

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that a line runs over."""
        return (self.axis,)

    @cached_property
    def wide(self) -> np.ndarray:
        """X in extended precision."""
        return np.asarray(self.x.astype(Wide))

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the axes that no line runs over."""
        return {axis: names for axis, names in super().slices().items() if axis not in self.axes}

    def over_lines(self, reduced: Any, array: np.ndarray, **options: Any) -> np.ndarray:
        """A reduction of numpy over each line, in the shape of X."""
        found = reduced(array, axis=self.axes, keepdims=True, **options)
        return np.asarray(np.broadcast_to(found, array.shape))

    @cached_property
    def size(self) -> int:
        """The number of elements of a line."""
        return int(np.prod([self.x.shape[axis] for axis in self.axes], dtype=np.int64))

    @cached_property
    def undefined(self) -> np.ndarray:
        """The mask of elements in lines that hold NaN or +inf."""
        return self.over_lines(np.any, np.isnan(self.wide) | np.isposinf(self.wide))

    @cached_property
    def nothing(self) -> np.ndarray:
        """The mask of elements in lines that hold -inf alone."""
        return self.over_lines(np.all, np.isneginf(self.wide))

    @cached_property
    def defined(self) -> np.ndarray:
        """The mask of elements in lines of numbers and -inf, with at least one number."""
        return np.asarray(~self.undefined & ~self.nothing)

    @cached_property
    def distance(self) -> np.ndarray:
        """M - x, at least 0; 0 in lines that are not defined."""
        x = np.asarray(np.where(self.defined, self.wide, 0))
        return np.asarray(self.over_lines(np.max, x, initial=-np.inf) - x)

    @cached_property
    def value_of(self) -> np.ndarray:
        """E, in extended precision; NaN in lines that are not defined."""
        powers = np.exp(-self.distance)
        found = powers / self.over_lines(np.sum, powers)
        return np.asarray(np.where(self.defined, found, Wide(np.nan)))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of X."""
        return tuple(self.x.shape)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """E, rounded."""
        return np.asarray(self.value_of.astype(self.x.dtype))

    @property
    def highest(self) -> Wide:
        """The number of the type above 1, which a rounding may give."""
        return 1 + 2 * roundoff(self.x.dtype)

    @cached_property
    def larger(self) -> np.ndarray:
        """int64, by element: the count of different larger numbers in its line."""
        last = range(-len(self.axes), 0)
        moved = np.moveaxis(np.where(self.defined, self.wide, 0), self.axes, last)
        lines = moved.reshape(-1, self.size) if self.x.size else moved.reshape(0, 1)
        order = np.argsort(-lines, axis=1)
        falling = np.take_along_axis(lines, order, axis=1)
        steps, counts = np.zeros(lines.shape, np.int64), np.zeros(lines.shape, np.int64)
        steps[:, 1:] = np.cumsum(falling[:, 1:] != falling[:, :-1], axis=1)
        np.put_along_axis(counts, order, steps, axis=1)
        return np.asarray(np.moveaxis(counts.reshape(moved.shape), last, self.axes))

    def of_logarithm(self, magnitude: np.ndarray) -> np.ndarray:
        """Roundings that a logarithm of the sum adds to the argument of a power.

        `magnitude` is the largest one of the line."""
        several, largest = np.log(Wide(max(self.size, 1))), np.log(Wide(float(PRECISION[self.x.dtype.name][2])))
        logarithm = Logarithm.of_result * (several + np.minimum(magnitude, largest))
        return np.asarray(logarithm + Logarithm.of_argument + Logarithm.of_one + 4 * several)

    @cached_property
    def largest(self) -> np.ndarray:
        """The largest magnitude of the numbers of each line."""
        return self.over_lines(np.max, np.where(self.defined & np.isfinite(self.wide), np.abs(self.wide), 0), initial=0)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest answer that some rounding explains, the upper end of the range aside."""
        exact = np.where(self.defined, self.value_of, 0)
        return self._ends_of(exact, exact, self.distance, self.largest, self.larger)

    def enclosure(self) -> dict[str, Ends]:
        """`ends`, of what is defined."""
        low, high = self.ends
        return {"Y": Ends(low, np.minimum(high, self.highest)).where(self.defined)}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return ends for inputs between those of two calls on the same shape, `low` and `high`.

        E rises with its own element and falls with the others; the roundings grow with distances and magnitudes."""
        assert isinstance(low, Normalised) and isinstance(high, Normalised)
        top = self.over_lines(np.max, high.wide, initial=-np.inf)
        below, above = np.exp(low.wide - top), np.exp(high.wide - top)
        unsure = (self.size + 2) * np.finfo(Wide).eps  # of a sum, which may be much larger than what is left of it
        slack, (most_of_all, least_of_all) = 1 + 4 * unsure, (self.over_lines(np.sum, part) for part in (above, below))
        others_above = np.maximum(most_of_all - above, 0) + unsure * most_of_all
        others_below = np.maximum(least_of_all * (1 - unsure) - below, 0)
        least, most = below / (below + others_above), above / (above + others_below)
        unlike = np.where(np.array_equal(low.x, high.x), self.larger, self.size - 1)
        size = np.where(np.isinf(self.wide), 0, np.maximum(np.abs(low.wide), np.abs(high.wide)))
        size = self.over_lines(np.max, size)
        ends = Ends(*self._ends_of(least / slack, most * slack, top - low.wide, size, unlike))
        known = self.defined & low.defined & high.defined & self.over_lines(np.all, (size < np.inf) & (ends.high > -1))
        return {"Y": Ends(ends.low, np.minimum(ends.high, self.highest)).where(known)}

    def _ends_of(self, exact: np.ndarray, most: np.ndarray, distance: np.ndarray, size: np.ndarray,
                 larger: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest answer, of exact values between two.

        size: the largest magnitude of a line; `larger`: see the property."""
        least, (logarithm, factor) = smallest_normal(self.x.dtype), self._roundings(most, distance, size, larger)
        ratio = np.exp(np.minimum(logarithm, MOST)) * factor
        return np.maximum(exact / ratio - least, 0), most * ratio + least

    def _roundings(self, most: np.ndarray, distance: np.ndarray, size: np.ndarray, larger: np.ndarray
                   ) -> tuple[np.ndarray, np.ndarray]:
        """Return what rounding of arguments adds to the logarithm of a quotient, and the factor of all else.

        The parameters are those of `_ends_of`."""
        u = roundoff(self.x.dtype)
        off = u * (3 * np.minimum(distance, FAR) + 2 * size)
        rescaled = u * OF_RESCALING * larger / (1 - Exponential.of_result * u)
        others = self.over_lines(np.sum, most * np.expm1(np.minimum(off + rescaled, MOST)))
        sums = (1 + growth(self.size - 1 + ROUNDINGS, self.x.dtype)) * (
            1 + others + self.size * smallest_normal(self.x.dtype))
        return off + u * self.of_logarithm(size), (1 + Exponential.of_result * u) / (
            1 - Exponential.of_result * u) * sums

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are within the bounds."""
        low, high = self.ends
        given = np.asarray(got).astype(Wide)
        return np.asarray((given >= low) & (given <= np.minimum(high, self.highest)))

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield answers that lack a factor."""
        yield (self.canonical[output] * self.x.dtype.type(0.5)).astype(self.x.dtype)

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp, and the largest difference of the sum of a line from 1."""
        given = np.asarray(got).astype(Wide)
        where = self.defined & self.over_lines(np.all, np.isfinite(given))
        if not where.any():
            return {}
        sums = self.over_lines(np.sum, np.where(where, given, 0))
        return {"largest error in ulp": ulps(np.asarray(got)[where], self.canonical["Y"][where], self.value_of[where]),
                "largest difference of a sum from 1": float(np.max(np.abs(sums[where] - 1)))}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The line."""
        found = np.indices([self.x.shape[axis] for axis in self.axes]).reshape(len(self.axes), -1).T
        cells = np.tile(np.array(where, np.int64), (len(found), 1))
        cells[:, list(self.axes)] = found
        return {"X": cells}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axis = axis_of(self, self.default)
        valid = axis is not None and -self.x.ndim <= axis < self.x.ndim
        return {**super().flags(), "negative-axis": valid and axis < 0,
                "axis-inside": valid and self.axes[-1] != self.x.ndim - 1,
                "nothing-but-minus-infinity": valid and bool(self.nothing.any())}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Lines along any axis, their elements near each other more often than not."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape) - 1, -1, -1)))
        default = cls.default_of(version)
        attributes: dict[str, Any] = {}
        if default not in (axis, axis - len(shape)) or choose((False, True)):
            attributes["axis"] = either_end(choose, axis, len(shape), cls.counts_back_in(version))
        x = choose.tensor(shape, a_type(choose, cls.types, version), cls.values)
        near = choose((True, False), (3, 2))
        with np.errstate(invalid="ignore"):  # bfloat16 warns of NaN
            return Call(cls.operator, attributes, {"X": np.asarray(x / x.dtype.type(16)) if near else x})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Lines, a large output, and a tall one."""
        return SizeClass({"columns": LINES}), a_large_output(), a_tall_input({**TALL_ROWS, "axis": 1})

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of a line."""
        return {**super().named_sizes(), "columns": self.size}

    @classmethod
    def default_of(cls, version: int) -> int | None:
        """The default of `axis` in a version."""
        return cls.default

    @classmethod
    def counts_back_in(cls, version: int) -> bool:
        """Return True if `axis` may count from the back in a version."""
        return cls.counts_back

    @on_elements(UNBOUND, "Y", "not zero for -inf")
    def minus_infinity(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(np.isneginf(self.wide) & self.defined)

    @on_elements(UNBOUND, "Y", "not from 0 to 1")
    def in_range(self, got: np.ndarray) -> np.ndarray:
        given = np.asarray(got).astype(Wide)
        return np.asarray(self.defined & ((given < 0) | (given > self.highest)))  # NaN is no value of the function

    @on_elements(UNBOUND, "Y", "in a line whose sum is not 1")
    def not_normalised(self, got: np.ndarray) -> np.ndarray:
        """Those of a line that would be right if it were divided by its sum."""
        given = np.asarray(got).astype(Wide)
        given = np.where(self.defined & self.over_lines(np.all, np.isfinite(given)), given, 0)
        sums, low, high = (self.over_lines(np.sum, array) for array in (given, *self.ends))
        with np.errstate(all="ignore"):  # a line of zeros cannot be divided by its sum
            right = self.over_lines(np.all, self.explains(given / sums) | ~self.defined)
        return np.asarray(self.defined & right & ((sums < low) | (sums > high)))

    any_other = elements_of(UNBOUND, "Y", OTHER, lambda self: self.defined)

    @unspecified(UNBOUND)
    def accuracy(self) -> Unspecified | None:
        where = self.defined & np.isfinite(self.wide)
        return Unspecified({"Y": Allowance(where, self.explains, observed=True)}) if where.any() else None

    @unspecified(UNBOUND)
    def zeros(self) -> Unspecified | None:
        return Unspecified.of(self.canonical["Y"] == 0, "Y", admits=lambda got: got == 0)
