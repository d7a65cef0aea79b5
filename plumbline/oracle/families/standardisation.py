"""Standardised elements, (x - mean) / sqrt(variance + epsilon) * scale + bias.

No text says how exactly to compute this, and implementations fold scale, root and bias together. A value conforms if it
is within the bound of all of these, computed in floating-point numbers of unit roundoff u, with g(k) = (1 + u)**k - 1
(Higham, Accuracy and Stability of Numerical Algorithms, sections 1.9 and 3.1):

* the mean of n elements is off by at most em = g(n + 2) * mean|x|, n + 2 for a cast, the sum and a division;
* their variance, the mean of squared distances, by ev = g(n + 4) * (v + em**2) + em**2, and by n of the smallest normal
  numbers, since implementations may take what is smaller as zero;
* hence r = 1 / sqrt(v + epsilon) lies between its values for v + ev and v - ev, and is open where the latter is not
  above zero; an epsilon that is converted to a type is off by half its smallest number;
* the result is off by |scale| * ((|d| + em) * (highest r - lowest r) + em * r), with d = x - m, and by g(10) times the
  sum of its terms' magnitudes.

Computed as the mean of squares less the square of the mean, the variance is off by up to g(n + 4) * (mean(x**2) +
(|m| + em)**2) + 2*|m|*em + em**2. What is within that bound alone is observed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Operator, Unspecified, unspecified
from plumbline.oracle.rounding import PRECISION, SLACK, Wide, growth, smallest_normal, ulps
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, SizeClass, a_large_output, is_large

ROUNDINGS = 10
"""Of each term: casts, root, quotient, products and sums, in any of the orders."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and variances, in extended precision, in a shape that broadcasts to that of the elements.

    mean_error, variance_error: how far computed ones may be off.
    of_squares: how far a variance may be off that is computed from the mean of squares.
    largest:    the largest of the sums that are computed for them."""

    mean: np.ndarray
    variance: np.ndarray
    mean_error: np.ndarray | float = 0.0
    variance_error: np.ndarray | float = 0.0
    of_squares: np.ndarray | float = 0.0
    largest: np.ndarray | float = 0.0

    @classmethod
    def of(cls, definition: Standardised, dtype: np.dtype) -> Moments:
        """Return the moments of the elements of a call, as computed in `dtype`."""
        x, mean_of, count = definition.wide, definition.mean_over, definition.count
        square = mean_of(x * x)
        mean, size = [np.zeros_like(square)] * 2 if definition.about_zero else (mean_of(x), mean_of(np.abs(x)))
        mean_error = growth(count + 2, dtype) * size
        variance, factor = mean_of((x - mean) ** 2), growth(count + 4, dtype)
        least = count * smallest_normal(dtype)
        of_squares = factor * (square + (np.abs(mean) + mean_error) ** 2) + 2 * np.abs(mean) * mean_error
        return cls(mean, variance, mean_error, factor * (variance + mean_error**2) + mean_error**2 + least,
                   of_squares + mean_error**2 + least, count * np.maximum(square, size))


class Standardised(Operator):
    """A call whose output Y is standardised; the definition gives its parts, that broadcast to the shape of X."""

    family = "Normalisation"
    exact = False

    output: ClassVar[str] = "Y"
    """What the text calls the standardised output."""

    about_zero: ClassVar[bool] = False
    """True if zero stands for the mean."""

    flag_notes = {"large-mean": "The mean of some elements is above ten of their standard deviations: the mean of "
                                "squares less the square of the mean then loses digits."}

    @property
    def x(self) -> np.ndarray:
        """The elements that are standardised."""
        return next(iter(self.inputs.values()))

    @property
    def computed_in(self) -> np.dtype:
        """The type of means and variances: that of X, unless the text names another."""
        return self.x.dtype

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged."""
        raise NotImplementedError

    @property
    def result_type(self) -> np.dtype:
        """The type of Y: that of X, unless the text names another."""
        return self.x.dtype

    @property
    def types_in_use(self) -> tuple[np.dtype, ...]:
        """The types that something is computed in."""
        return self.x.dtype, self.computed_in, self.result_type

    @property
    def count(self) -> int:
        """The number of elements that one mean is of."""
        return int(np.prod([self.x.shape[axis] for axis in self.axes]))

    def mean_over(self, values: np.ndarray) -> np.ndarray:
        """Return means (NaN of no elements) of values in the shape of X, in a shape that broadcasts to it."""
        return np.asarray(values.sum(axis=self.axes, keepdims=True) / Wide(self.count))

    @property
    def moments(self) -> Moments:
        """Means and variances of a call inside the domain, by default those of X."""
        return Moments.of(self, self.computed_in)

    @property
    def parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """Scale and bias, 0 where none is given, in shapes that broadcast to X."""
        raise NotImplementedError

    @property
    def epsilon(self) -> float:
        """The number that is added to the variance, as the 32 bits of the attribute hold it."""
        return float(np.float32(self.attribute("epsilon")))

    @cached_property
    def wide(self) -> np.ndarray:
        """X in extended precision."""
        return self.x.astype(Wide)

    @cached_property
    def _moments(self) -> Moments:
        with np.errstate(all="ignore"):
            return self.moments

    @cached_property
    def _wide_parameters(self) -> tuple[np.ndarray, np.ndarray]:
        scale, bias = (part.astype(Wide) for part in self.parameters)
        return scale, bias

    @cached_property
    def coarsest(self) -> np.dtype:
        """The type in use with the largest roundoff."""
        return max(self.types_in_use, key=lambda dtype: PRECISION[dtype.name][0])

    @property
    def smallest_half(self) -> Any:
        """The most that converting epsilon to a narrower type loses below the subnormal numbers."""
        return Wide(float(PRECISION[self.coarsest.name][1] / 2))

    def lowest_square(self, error: np.ndarray | float) -> np.ndarray:
        """The least that variance plus epsilon may be computed as, where the variance may be off by an error."""
        total = self._moments.variance + self.epsilon
        return np.asarray(total - error - growth(2, self.coarsest) * np.abs(total) - self.smallest_half)

    def roots_within(self, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """1 / sqrt(variance + epsilon): its lowest value, the exact one, and the highest; infinite where it is open."""
        total = self._moments.variance + self.epsilon
        with np.errstate(all="ignore"):
            lowest = self.lowest_square(error)
            return (1 / np.sqrt(total + error + self.smallest_half), 1 / np.sqrt(total),
                    np.where(lowest > 0, 1 / np.sqrt(lowest), np.inf))

    @cached_property
    def roots(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`roots_within` the error of the variance."""
        return self.roots_within(self._moments.variance_error)

    @cached_property
    def value_of(self) -> np.ndarray:
        """Y in extended precision."""
        scale, bias = self._wide_parameters
        with np.errstate(all="ignore"):
            return np.asarray((self.wide - self._moments.mean) * self.roots[1] * scale + bias)

    @cached_property
    def _size(self) -> np.ndarray:
        """The magnitudes of x and the mean."""
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(self.wide) + np.abs(self._moments.mean) + self._moments.mean_error)

    def room_within(self, error: np.ndarray | float) -> np.ndarray:
        """Return the largest error of Y where the variance may be off by an error; see the module."""
        (scale, bias), moments = map(np.abs, self._wide_parameters), self._moments
        lowest, _, highest = self.roots_within(error)
        least, rounded = max(map(smallest_normal, self.types_in_use)), growth(ROUNDINGS, self.coarsest)
        with np.errstate(all="ignore"):  # few passes over all elements, since X may be large
            room = np.asarray(np.abs(self.wide - moments.mean))
            room *= scale * (highest - lowest)
            room += self._size * (rounded * scale * highest + least)
            room += scale * moments.mean_error * (highest - lowest + highest) + rounded * bias + least * (
                4 + scale + scale * highest + highest)
        return room

    @cached_property
    def room(self) -> np.ndarray:
        """The largest error of Y."""
        return self.room_within(self._moments.variance_error)

    @cached_property
    def is_open(self) -> np.ndarray:
        """bool, in the shape of X: where a number is not finite, or variance plus epsilon may not be above zero."""
        parts = [self.wide, self._moments.mean, self._moments.variance, *self._wide_parameters]
        with np.errstate(all="ignore"):
            positive = self.lowest_square(self._moments.variance_error) > 0
            if positive.all() and np.isfinite(sum(np.abs(part).max(initial=0) for part in parts)):
                return np.zeros(self.x.shape, bool)
            sum_of_all = sum(parts[1:], parts[0])
            return np.asarray(~np.isfinite(sum_of_all) | ~positive)

    @cached_property
    def overflows(self) -> np.ndarray:
        """bool, in the shape of X: where something that is computed may exceed the largest number of a type."""
        scale, bias = map(np.abs, self._wide_parameters)
        limit = min(map(_nearly_largest, self.types_in_use))

        def sizes(of_x: Any, root: Any, scale: Any, bias: Any) -> Iterator[Any]:
            yield from (of_x, of_x * root * scale + bias, scale * of_x, scale * root, root, of_x * root)

        with np.errstate(all="ignore"):
            parts = self._size, self.roots[2], scale, bias
            largest = [part.max(initial=0) for part in parts]
            too_large = np.zeros(self.x.shape, bool)
            if not all(size < limit for size in sizes(*largest)):
                for size in sizes(*parts):
                    too_large |= size >= limit
            return np.asarray((too_large | self.sums_overflow) & ~self.is_open)

    @property
    def sums_overflow(self) -> np.ndarray:
        """bool, in the shape of the moments: where the sums for them may exceed the largest number of their type."""
        return np.asarray(self._moments.largest >= self.too_large)

    @property
    def too_large(self) -> Any:
        """A number from which on moments, rounded to their type, may be infinite."""
        return _nearly_largest(self.computed_in)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, and a large output."""
        return SizeClass({"columns": ROWS}), a_large_output()

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis, and whether X is large."""
        return {DTYPE: self.x.dtype.name, "columns": (0, *self.x.shape)[-1], LARGE: is_large(self.x.shape)}

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the declared shape, by default that of X."""
        return super().shape_of(output) if output in self.shape_formulas else self.x.shape

    def expected(self) -> dict[str, np.ndarray]:
        """Y, rounded once."""
        with np.errstate(all="ignore"):
            return {self.output: self.value_of.astype(self.result_type)}

    def bound(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return the exact values of an output, and how far off they may be where the variance may be off by `error`.
        """
        return self.value_of, self.room if error is self._moments.variance_error else self.room_within(error)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound of the module."""
        return self._is_within(output, got, self._moments.variance_error)

    def _is_within(self, output: str, got: np.ndarray, error: np.ndarray | float) -> np.ndarray:
        value, room = self.bound(output, error)
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(got.astype(Wide) - value) <= room)

    def by_squares(self, output: str, where: np.ndarray) -> Unspecified | None:
        """Observe what the mean of squares less the square of the mean gives, in some elements."""
        return Unspecified({output: Allowance(where, lambda got: self._is_within(
            output, got, self._moments.of_squares), observed=True)}) if where.any() else None

    def tolerance(self) -> dict[str, float]:
        """The largest bound that decides something."""
        decided = self.room[~(self.is_open | self.overflows)]
        return {self.output: float(decided.max()) if decided.size else 0.0}

    def enclosure(self) -> dict[str, Ends]:
        """Return ends within the bound, where it decides."""
        others = {name: Ends.around(array).where(np.zeros(array.shape, bool)) for name, array in self.canonical.items()}
        return {**others, self.output: Ends.around(self.value_of, self.room).where(~(self.is_open | self.overflows))}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return ends for inputs between those of two calls, `low` and `high`; None where no rule is known.

        With r the radius of each element, a mean moves by at most mean(r), a distance d from it by t = r + mean(r), and
        the variance by mean(2 |d| t + t**2). The errors of the module are those of the largest magnitudes."""
        name, *others = self.inputs
        same = all(np.array_equal(low.inputs[other], high.inputs[other]) for other in others)
        if self.turns is not None or not same:
            return None
        ends = [part.inputs[name].astype(Wide) for part in (low, high)]
        radius = np.maximum(self.wide - ends[0], ends[1] - self.wide)
        slack, largest = 1 + Wide(SLACK), self._upward(name, np.maximum(*map(np.abs, ends)))
        offset = radius + slack * self.mean_over(radius) * (not self.about_zero)
        distance = np.abs(self.wide - self._moments.mean)
        moved = slack * self.mean_over(2 * distance * offset + offset**2)
        lowest, root, highest = self.roots_within(moved + largest._moments.of_squares)
        scale, error = np.abs(self._wide_parameters[0]), largest._moments.mean_error
        spread = distance * np.maximum(highest - root, root - lowest) + (offset + error) * highest
        spread = spread + (distance + offset + error) * (highest - lowest)
        terms = largest._size * highest * scale + np.abs(self._wide_parameters[1])
        least = max(map(smallest_normal, self.types_in_use))
        room = scale * spread + growth(ROUNDINGS, self.coarsest) * terms + least * (
            4 + scale + largest._size + scale * highest + highest)
        known = np.isfinite(room) & ~(self.is_open | self.overflows | largest.overflows)
        return {**self.enclosure(), self.output: Ends.around(self.value_of, room * slack).where(known)}

    def _upward(self, name: str, x: np.ndarray) -> Standardised:
        """Return the same call on other elements, which are rounded upward."""
        inputs = {**self.inputs, name: Ends(x, x).outward(self.x.dtype)[1]}
        return type(self)(replace(self.call, inputs=inputs), self.version)

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        where = judged & ~self.is_open & ~self.overflows
        if output != self.output or not where.any():
            return {}
        return {"largest error in ulp": ulps(np.asarray(got)[where], self.canonical[output][where],
                                             self.value_of[where])}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield outputs without epsilon, scale or bias, and with the quotient by variance in place of its root."""
        scale, bias = self._wide_parameters
        deviation, root = self.wide - self._moments.mean, self.roots[1]
        with np.errstate(all="ignore"):
            wrong = (deviation / np.sqrt(self._moments.variance) * scale + bias, deviation * root + bias,
                     deviation * root * scale, deviation * root**2 * scale + bias)
            for values in wrong if output == self.output else ():
                yield np.broadcast_to(values, self.x.shape).astype(self.result_type)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`; of calls whose parts are malformed none."""
        return {}

    @classmethod
    def an_epsilon(cls, choose: Choose) -> dict[str, float]:
        """Draw the attribute `epsilon`, or none."""
        return {"epsilon": choose((1e-3, 0.5, 0.0))} if choose((False, True)) else {}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        with np.errstate(all="ignore"):
            return {"large-mean": bool((self._moments.mean ** 2 > 100 * self._moments.variance).any())}

    any_other = elements_of(UNBOUND, "", "not the standardised element")

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return Unspecified.of(self.is_open, self.output)

    @unspecified(UNBOUND)
    def variance_by_squares(self) -> Unspecified | None:
        if not np.any(self._moments.of_squares > self._moments.variance_error):
            return None  # the room grows with the error
        is_wider = self.room_within(self._moments.of_squares) > self.room
        return self.by_squares(self.output, np.asarray(is_wider & ~self.is_open & ~self.overflows))

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        return Unspecified.of(self.overflows, self.output)


def _nearly_largest(dtype: np.dtype) -> Any:
    return Wide(float(PRECISION[dtype.name][2])) * Wide(0.99)


def per_channel(part: np.ndarray, rank: int) -> np.ndarray:
    """A tensor of one number for each channel, or of the shape behind the batch, in a shape that broadcasts to X."""
    return part.reshape(1, *part.shape, *(1,) * (rank - 1 - part.ndim)) if rank > 1 else part
