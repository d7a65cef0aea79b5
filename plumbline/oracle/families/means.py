"""The mean over windows, and the base class of AveragePool.

Their error bound is that of `families.averages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from weakref import proxy

import numpy as np

from plumbline.oracle.families.averages import Averages
from plumbline.oracle.families.pooling import Windowed
from plumbline.oracle.families.windows import Windows, fitting
from plumbline.oracle.operator import UNBOUND, Unspecified, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import NO_QUANTUM, Sums, Wide, quantum, ulps


@dataclass(frozen=True, eq=False)
class Means(Windows):
    """The means of windows over floating-point numbers.

    include_padding: whether padding cells count in the divisor.
    include_beyond:  whether then the cells beyond the padded input count too, where rounding up lays a window there.
    """

    include_padding: bool
    include_beyond: bool = True

    @cached_property
    def _finite_cells(self) -> np.ndarray:
        """The mask of finite elements of X."""
        return np.isfinite(self.x.astype(Wide))

    @cached_property
    def sums(self) -> Sums:
        """The sums of the elements that the windows select."""
        total, size = np.zeros(self.shape, dtype=Wide), np.zeros(self.shape, dtype=Wide)
        kept = np.where(self._finite_cells, self.x.astype(Wide), 0)
        for tap in self.taps:
            total[:, :, *tap.windows] += kept[:, :, *tap.cells]
            size[:, :, *tap.windows] += np.abs(kept[:, :, *tap.cells])
        return Sums(total, size, self.selected, 0, self.least(quantum(self.x), NO_QUANTUM), self.x.dtype)

    @cached_property
    def all_finite(self) -> np.ndarray:
        """The mask of windows that select neither NaN nor infinity."""
        return ~self.selects(~self._finite_cells)

    @property
    def may_overflow(self) -> np.ndarray:
        """The mask of windows whose sum of absolute values exceeds the range of the type."""
        return self.sums.may_overflow

    def admits_not_finite(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got` that windows with NaN or infinities may give.

        That is NaN, since infinities may cancel; an infinity that is there; and, with NaN but no infinity, the mean of
        the rest, whether the NaN counts in the divisor or not."""
        nan, plus, minus = (self.selects(mask) for mask in (self.x != self.x, self.x == np.inf, self.x == -np.inf))
        found = np.isnan(got) & (nan | plus | minus) | (got == np.inf) & plus | (got == -np.inf) & minus
        rest = nan & ~plus & ~minus & np.isfinite(got.astype(Wide))
        if rest.any():
            counted = self.divisor(self.include_padding)
            without = np.zeros(self.shape, dtype=np.int64)
            for tap in self.taps:
                without[:, :, *tap.windows] += ~self._finite_cells[:, :, *tap.cells]
            found |= rest & (~self.over(counted).wrong(got) | ~self.over(np.maximum(counted - without, 1)).wrong(got))
        return np.asarray(found)

    def admits_overflow(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of overflows: an infinity of a sign that is there; NaN where both are."""
        plus, minus = self.selects(self.x > 0), self.selects(self.x < 0)
        return np.asarray((got == np.inf) & plus | (got == -np.inf) & minus | np.isnan(got) & plus & minus)

    def admits_without_overhang(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of means over the cells within the padded input, of windows that reach beyond."""
        return np.asarray(~self.over(np.maximum(self.padded_cells, 1)).wrong(got))

    def rests(self) -> tuple[np.ndarray, ...]:
        """The means of the elements that are numbers, with every divisor that `admits_not_finite` has."""
        counted = self.divisor(self.include_padding)
        wild = np.zeros(self.shape, dtype=np.int64)
        for tap in self.taps:
            wild[:, :, *tap.windows] += ~self._finite_cells[:, :, *tap.cells]
        return self.over(counted).values, self.over(np.maximum(counted - wild, 1)).values

    @cached_property
    def padded_cells(self) -> np.ndarray:
        """The number of cells of each window that lie in X or its padding."""
        return np.asarray(np.broadcast_to(self.geometry.padded_cells(self.counts), self.shape))

    @cached_property
    def beyond_padding(self) -> np.ndarray:
        """The mask of windows that reach beyond the padded input."""
        return np.asarray(self.padded_cells < prod(self.geometry.kernel))

    @cached_property
    def every_cell(self) -> np.ndarray:
        """The number of cells of each window, wherever they lie."""
        cells = prod(self.geometry.kernel)
        return np.full(self.shape, cells, dtype=fitting(cells))

    def divisor(self, include_padding: bool) -> np.ndarray:
        """The divisor of each window; 1 where it would be 0."""
        if include_padding and self.include_beyond:
            return self.every_cell
        if include_padding:
            return np.asarray(np.maximum(self.padded_cells, 1))
        return np.asarray(np.maximum(self.selected, 1))

    def over(self, divisor: np.ndarray) -> Averages:
        """The means with a divisor."""
        me = proxy(self)  # a reference in a circle would keep large arrays until they are searched for
        return Averages(self.sums, divisor, lambda place: me._cells(place), self.all_finite)

    def _cells(self, place: tuple[int, ...]) -> np.ndarray:
        plane = self.x[place[:2]].astype(Wide).reshape(-1)
        return np.asarray(plane[[tap.index[place[2:]] for tap in self.taps if tap.inside[place[2:]]]])

    @cached_property
    def averages(self) -> Averages:
        """The means with the divisor of the call."""
        return self.over(self.divisor(self.include_padding))

    @cached_property
    def values(self) -> np.ndarray:
        """The means, rounded to the type of X; NaN and infinities as IEEE 754 adds them."""
        found = self.averages.values
        if self.all_finite.all():
            return found
        nan, plus, minus = (self.selects(mask) for mask in (self.x != self.x, self.x == np.inf, self.x == -np.inf))
        special = np.where(nan | plus & minus, np.nan, np.where(plus, np.inf, -np.inf)).astype(self.x.dtype)
        return np.where(self.all_finite, found, special)

    def wrong(self, got: np.ndarray, include_padding: bool | None = None) -> np.ndarray:
        """Return the mask of `got`, numbers of the output's shape, outside the bound."""
        other = include_padding is not None and include_padding != self.include_padding
        return (self.over(self.divisor(not self.include_padding)) if other else self.averages).wrong(got)

    def misses(self, got: np.ndarray, divisor: np.ndarray) -> np.ndarray:
        """Return the distance of integers from the means by a divisor, in extended precision; 0 within rounding."""
        exact = self.sums.total / divisor.astype(Wide)
        distance = np.abs(np.asarray(got).astype(Wide) - exact)
        return np.asarray(np.where(distance <= 4 * np.finfo(Wide).eps * np.abs(exact), 0, distance))

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the mean among the elements of `where`, in ulp of the mean in the type of X."""
        return ulps(np.asarray(got)[where], self.averages.values[where], self.averages.wide[where])


class MeanWindows(Windowed):
    """A call whose output is the mean of each window. A wrong element is blamed on the divisor when it is the mean with
    the other divisor, on the split of the padding when that is automatic, else on the value itself."""

    operator = "AveragePool"
    values = "sum"
    exact = False
    stacked_input = "X"
    multiplied = ("X",)

    @property
    def as_sums(self) -> Averages | None:
        """The means of floating-point numbers."""
        return self.means.averages if self.has_means else None

    @property
    def include_padding(self) -> bool:
        """True if padding cells count in the divisor."""
        raise NotImplementedError

    @property
    def include_beyond(self) -> bool:
        """True if, where padding cells count, those beyond the padded input do so too."""
        return True

    @cached_property
    def means(self) -> Means:
        """The windows of a call inside the domain."""
        return Means(self.x, self.geometry, self.shape[2:], self.include_padding, self.include_beyond)

    def expected(self) -> dict[str, np.ndarray]:
        """Y, of the type of X."""
        return {"Y": self.means.values if is_float(self.x.dtype) else self.means.averages.values}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements near the mean, where the window selects neither NaN nor infinity; equal to it for
        integers."""
        if is_float(self.x.dtype):
            return np.asarray(self.means.all_finite & ~self.means.wrong(got))
        return np.asarray(self.means.misses(got, self.means.divisor(self.include_padding)) == 0)

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all windows."""
        return {"Y": self.means.averages.tolerance if is_float(self.x.dtype) and self.x.size else 0.0}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of Y among the judged elements, in ulp."""
        return {"largest error in ulp": self.means.largest_error(got, judged)}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """The means with the other divisor; with every cell in the divisor."""
        if self.has_means:
            with np.errstate(over="ignore"):
                for divisor in (self.means.divisor(not self.include_padding), self.means.every_cell):
                    yield (self.means.sums.total / divisor.astype(Wide)).astype(self.x.dtype)

    @property
    def has_means(self) -> bool:
        """True if there are windows, over floating-point numbers."""
        return self.has_windows and is_float(self.x.dtype)

    @property
    def empty_windows(self) -> np.ndarray:
        """bool, in the shape of the output: the windows that select no element of X."""
        return np.asarray(self.means.selected == 0)

    @unspecified(UNBOUND)
    def nothing_selected(self) -> Unspecified | None:
        if not self.has_windows:
            return None
        outside = self.means.padded_cells == 0 if self.include_padding else True
        return Unspecified.of(self.empty_windows & outside, "Y")

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        """A window that selects NaN or infinity gives NaN, an infinity that it selects, or, where NaN is passed over,
        the mean of the rest."""
        return Unspecified.of(~self.means.all_finite, "Y", admits=self.means.admits_not_finite,
                              seeds=self.means.rests) if self.has_means else None

    @unspecified(UNBOUND)
    def integers(self) -> Unspecified | None:
        """The mean of integers may be rounded to either neighbour; where the sum of absolute values is beyond the
        type, a sum in that type may come to anything."""
        if is_float(self.x.dtype) or not self.has_windows:
            return None
        divisor = self.means.divisor(self.include_padding)
        beyond = self.means.sums.size > np.iinfo(self.x.dtype).max

        def admits(got: np.ndarray) -> np.ndarray:
            return np.asarray(beyond | (self.means.misses(got, divisor) < 1))
        uneven = np.asarray(self.means.misses(self.means.averages.values, divisor) > 0)
        return Unspecified.of(uneven | beyond, "Y", admits=admits)

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        """Where an intermediate sum may overflow, an infinity of a sign that elements of the window have, or NaN where
        they have both."""
        means = self.means if self.has_means else None
        return Unspecified.of(means.may_overflow, "Y", admits=means.admits_overflow) if means else None

    def either_divisor(self, rounds_up: bool) -> Unspecified | None:
        """Leave either divisor open where a window reaches beyond the padded input and padding counts."""
        if not (rounds_up and self.has_means and self.include_padding and self.include_beyond):
            return None
        return Unspecified.of(self.means.beyond_padding, "Y", admits=self.means.admits_without_overhang,
                              seeds=lambda: [self.means.over(np.maximum(self.means.padded_cells, 1)).values])

    def other_divisor(self, got: np.ndarray) -> np.ndarray:
        """Where Y is the mean with the other divisor."""
        if is_float(self.x.dtype):
            return np.asarray(self.means.all_finite & ~self.means.wrong(got, not self.include_padding))
        return np.asarray(self.means.misses(got, self.means.divisor(not self.include_padding)) < 1)

    def counts_beyond(self, got: np.ndarray) -> np.ndarray:
        """Where padding counts and Y is the mean with every cell of a window that reaches beyond the padded input."""
        if not (self.include_padding and is_float(self.x.dtype)):
            return np.zeros(self.shape, dtype=bool)
        return np.asarray(self.means.beyond_padding & ~self.means.over(self.means.every_cell).wrong(got))

    @on_elements(UNBOUND, "Y", "not the mean of its window")
    def mean_with_automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic

    @on_elements(UNBOUND, "Y", "not the mean of its window")
    def mean_otherwise(self, got: np.ndarray) -> bool:
        return True


DIVISOR = "the mean with padding on the wrong side of the divisor"
"""Why an element is blamed on the divisor."""
