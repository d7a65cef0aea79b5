"""The Lp norm over windows, with error bounds.

A norm is computed in three steps: powers, their sum, and its root. In the notation of `oracle.rounding`:

A power takes p - 1 multiplications, or is rounded once to one of its two neighbours, which is less than two units u
off: at most r = max(p - 1, 2) factors 1 + u, and r = 2 where p is not an integer. Their sum of n terms then lies
between S(1 - u)**m and S(1 + u)**m, with S the exact one and m = n - 1 + r; m is 0 where no order rounds anything.

The root of a computed sum s is one of the two neighbours of s**(1/p): a number y is one of them for some such s if
and only if the next number above y is greater than the root of the lowest s, and the next one below y less than that of
the highest. Both sides are raised to the power p, so that no root is left to be computed. A wider type in between,
rounded to nearest at the end, gives no others. The numbers are those of the type as if its exponent had no end; what is
beyond the end is an infinity.

Where 1/p is not a number of the type, its rounding is a factor 1 + d of the exponent, with |d| <= u where 1/p is not
below the normal range: s**(1/p) is multiplied by s**(d/p), which lies between 2**(-d*L) and 2**(d*L) with
L = |log2 s|/p.

Where the elements are divided by the largest of their window first, and the root multiplied by it, a square takes two
factors more, and that product one, which is two of the sum: with p 2 the bound is that of `SCALING` factors more, in
which no sum is exact.

With p 1 there is neither power nor root, and the bound is that of the sum (`families.products`).

However large p is, no power may leave the range of extended precision where it matters. Elements are therefore divided
by the largest of their window, whose power is then 1, and bounds are compared as logarithms. Squares alone are divided
by a power of two, which leaves them exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.families.windows import Windows
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, SLACK, Sums, Wide, exponent, overflown, quantum, ulps

SCALING = 4
"""Roundings of a sum of squares besides, where elements are divided by the largest of their window."""


@dataclass(frozen=True, eq=False)
class Norms(Windows):
    """The norms of windows over floating-point numbers.

    p: at least 1.
    further: roundings of a sum besides those of powers and sum, see the module.
    """

    p: int | float
    further: int = 0

    # Exact values, in extended precision

    @cached_property
    def magnitudes(self) -> np.ndarray:
        """The absolute values of X, in its shape; 0 where one is not finite."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            x = np.abs(self.x.astype(Wide))
        return np.where(np.isfinite(x), x, 0)

    def logarithm(self, of: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Return log2 of the power p of numbers from 0 on over units: as exact, relatively, as extended precision
        is, also where the two are near each other and p is large."""
        with np.errstate(all="ignore"):
            near, far = np.log1p((of - unit) / unit) / np.log(Wide(2)), np.log2(of / unit)
        return np.asarray(Wide(self.p) * np.where(of > unit / 2, near, far))

    def power(self, of: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Numbers from 0 on over units, to the power p."""
        if self.p in (1, 2):
            return np.asarray((of / unit) ** self.p)
        return np.asarray(np.exp2(self.logarithm(of, unit)))

    @cached_property
    def unit(self) -> np.ndarray:
        """The divisor of the elements of each window, see the module; 1 where all are zero."""
        found = np.zeros(self.shape, Wide)
        for tap in self.taps:
            some = found[:, :, *tap.windows]
            np.maximum(some, self.magnitudes[:, :, *tap.cells], out=some)
        if self.p in (1, 2):
            found = np.where(found > 0, np.ldexp(Wide(1), np.frexp(found)[1]), 0)
        return np.where(found > 0, found, 1)

    def sums(self, magnitudes: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """The sums of the powers of elements over the unit of their window."""
        found = np.zeros(self.shape, Wide)
        for tap in self.taps:
            found[:, :, *tap.windows] += self.power(magnitudes[:, :, *tap.cells], unit[:, :, *tap.windows])
        return found

    @cached_property
    def total(self) -> np.ndarray:
        """The sums of powers, of elements over units."""
        return self.sums(self.magnitudes, self.unit)

    @cached_property
    def wide(self) -> np.ndarray:
        """The norms."""
        root = np.sqrt(self.total) if self.p == 2 else np.power(self.total, 1 / Wide(self.p))
        return np.asarray(root * self.unit)

    @cached_property
    def special(self) -> tuple[np.ndarray, np.ndarray]:
        """The masks of windows that select a NaN, and of those that select an infinity."""
        x = self.x.astype(Wide)
        return self.selects(np.isnan(x)), self.selects(np.isinf(x))

    @property
    def finite(self) -> np.ndarray:
        """The mask of windows that select neither NaN nor infinity."""
        nan, infinite = self.special
        return np.asarray(~(nan | infinite))

    @cached_property
    def values(self) -> np.ndarray:
        """The norms, rounded to the type of X; NaN of a NaN, else +inf of an infinity."""
        nan, infinite = self.special
        with np.errstate(over="ignore"):
            return np.where(nan, np.nan, np.where(infinite, np.inf, self.wide)).astype(self.x.dtype)

    # Rounding

    @cached_property
    def factors(self) -> np.ndarray:
        """The number of roundings of a sum of powers, n - 1 + r in the module; in extended precision, since
        p may be as large as one likes."""
        of_powers = 0 if self.p == 1 else max(self.p - 1, 2) if self.p == int(self.p) else 2
        return np.asarray(np.maximum(self.selected - 1, 0).astype(Wide) + Wide(of_powers + self.further))

    @cached_property
    def exact(self) -> np.ndarray:
        """bool: which sums have no rounding error in any order; asked of squares alone, for which it decides."""
        if self.p != 2 or self.further:
            return np.zeros(self.shape, dtype=bool)
        size = self.total * self.unit ** 2
        least = 2 * self.least(quantum(self.x), NO_QUANTUM)
        return Sums(size, size, self.selected, 2, least, self.x.dtype).exact

    @cached_property
    def growth(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest log2 of the ratio of a computed sum of powers to the exact one,
        by the text of the module."""
        unit = Wide(float(PRECISION[self.x.dtype.name][0]))
        factors = np.where(self.exact, 0, self.factors) / np.log(Wide(2))
        return factors * np.log1p(-unit), factors * np.log1p(unit)

    @cached_property
    def exponent_error(self) -> np.ndarray:
        """The error of log2 of a norm by the rounding of 1/p: d*L in the text of the
        module."""
        off = abs(Fraction(float(self.x.dtype.type(1 / self.p))) * Fraction(self.p) - 1)
        if off == 0:
            return np.zeros(self.shape, Wide)
        largest = Wide(float(max(off, PRECISION[self.x.dtype.name][0])))
        with np.errstate(divide="ignore"):
            logarithm = np.where(self.wide > 0, np.abs(np.log2(self.wide)), 0)
        return np.asarray(largest * (logarithm + self.growth[1] / Wide(self.p)))

    def between(self, got: np.ndarray, low: np.ndarray, high: np.ndarray, unit: np.ndarray
                ) -> tuple[np.ndarray, np.ndarray]:
        """Return which of `got` are, and which may be, neighbours of the root of a computed sum: bool, twice.

        The exact sum is between `low` and `high`, both of powers of elements over `unit`."""
        above, below = neighbours(got, self.x.dtype)
        (least, most), off = self.growth, Wide(self.p) * self.exponent_error
        with np.errstate(all="ignore"):
            lowest, highest = np.log2(low) + least - off, np.log2(high) + most + off
            up, down = (self.logarithm(np.maximum(side, 0), unit) for side in (above, below))
            size = np.where(high > 0, np.abs(np.log2(high)), 0) + most + off
            # what logarithms and sums of powers may be off in extended precision
            room = (4 * self.selected + 12 + 32 * size) * np.finfo(Wide).eps
            bounded = [((low == 0) & (got >= 0) | (up > lowest + side * room))
                       & ((below < 0) | (down < highest - side * room)) for side in (1, -1)]
        return np.asarray(bounded[0]), np.asarray(bounded[1])

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, numbers of the output's shape, outside the bound of the module. What extended
        precision leaves undecided is decided with fractions for squares; for other powers the texts leave open more."""
        if self.p == 1:
            return np.asarray(self._plain.wrong(got))
        right, possible = self.between(got, self.total, self.total, self.unit)
        if self.p == 2:
            above, below = neighbours(got, self.x.dtype)
            for place in map(tuple, np.argwhere(possible & ~right)):
                possible[place] = self._exactly_right(place, above[place], below[place])
        return np.asarray(~possible)

    @cached_property
    def _plain(self) -> Products:
        """The sums of absolute values."""
        steps = (Step((np.abs(self.x[:, :, *tap.cells]),), (slice(None), slice(None), *tap.windows))
                 for tap in self.taps)
        return Products.of(steps, self.shape, self.x.dtype, roundings=0)

    def _exactly_right(self, place: tuple[int, ...], above: Wide, below: Wide) -> bool:
        """The question of `wrong` about one element, the root of a sum of squares, with fractions."""
        plane = self.magnitudes[place[:2]].reshape(-1)
        cells = [plane[tap.index[place[2:]]] for tap in self.taps if tap.inside[place[2:]]]
        total = sum((Fraction(*cell.as_integer_ratio()) ** 2 for cell in cells), Fraction(0))
        factors = 0 if self.exact[place] else int(self.factors[place])
        unit = PRECISION[self.x.dtype.name][0]
        up, down = (Fraction(*side.as_integer_ratio()) if np.isfinite(side) else None for side in (above, below))
        return (up is None or up ** 2 > total * (1 - unit) ** factors) and (
            down is not None and (down < 0 or down ** 2 < total * (1 + unit) ** factors))

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every number lies that is not `wrong`."""
        unit, eta, _ = (Wide(float(figure)) for figure in PRECISION[self.x.dtype.name])
        if self.p == 1:
            return float(np.max(self._plain.bound, initial=0) + np.max(self.wide, initial=0) * unit + eta)
        with np.errstate(over="ignore"):
            off = np.exp2(self.growth[1] / Wide(self.p) + self.exponent_error) * (1 + 2 * unit) ** 2
            far = self.wide * (off - 1) * 2
        return float(np.max(far, initial=0) + eta) * (1 + 2 * SLACK)

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the norm among the elements of `where`, in ulp of the norm in the type of X."""
        return ulps(np.asarray(got)[where], self.values[where], self.wide[where])

    # What intermediate results may do

    @property
    def may_overflow(self) -> np.ndarray:
        """bool: where the sum of powers, computed in some order, can exceed the range of the type."""
        unit, _, largest = (Wide(float(figure)) for figure in PRECISION[self.x.dtype.name])
        limit, last = np.frexp(largest * (1 + unit / 2))
        fraction, exponents = np.frexp(self.unit)
        with np.errstate(divide="ignore"):
            size = np.log2(self.total) + self.growth[1] + Wide(self.p) * np.log2(fraction)
        return np.asarray(size + (Wide(self.p) * exponents - last) >= np.log2(limit))

    def admits_overflow(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of infinities where a sum may overflow, and of largest numbers for norms beyond the range."""
        return np.asarray((got == np.inf) | np.isinf(self.values.astype(Wide)) & overflown(got, self.values))

    @cached_property
    def _normal(self) -> int:
        """The exponent of the smallest normal number of the type."""
        unit, eta, _ = PRECISION[self.x.dtype.name]
        return exponent(eta) - exponent(unit) - 1

    @cached_property
    def tiny(self) -> np.ndarray:
        """bool, in the shape of X: where the power of an element other than 0 is below the smallest normal number."""
        return np.asarray((self.magnitudes > 0) & (self.logarithm(self.magnitudes, np.ones((), Wide)) < self._normal))

    def admits_underflow(self, got: np.ndarray) -> np.ndarray:
        """bool: which numbers come of powers that are below the smallest normal number and are replaced by numbers from
        0 to that."""
        unit = np.maximum(self.unit, np.exp2(np.ceil(self._normal / Wide(self.p))))
        low = self.sums(np.where(self.tiny, 0, self.magnitudes), unit)
        replaced = np.zeros(self.shape, np.int64)
        for tap in self.taps:
            replaced[:, :, *tap.windows] += self.tiny[:, :, *tap.cells]
        high = low + replaced * np.exp2(self._normal - self.logarithm(unit, np.ones((), Wide)))
        return self.between(got, low, high, unit)[1]

    def near(self, got: np.ndarray) -> np.ndarray:
        """bool: which numbers agree with the norm in the upper half of the significand."""
        unit = Wide(float(PRECISION[self.x.dtype.name][0]))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(np.asarray(got).astype(Wide) - self.wide) <= np.sqrt(unit) * self.wide)


def neighbours(got: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return the next number of a type above each number, as if its exponent had no end, and the next
    one below."""
    with np.errstate(all="ignore"):
        found, nearest = np.asarray(got).astype(Wide), np.asarray(got).astype(dtype)
        rounded = nearest.astype(Wide)
        up, down = (np.nextafter(nearest, dtype.type(side)).astype(Wide) for side in (np.inf, -np.inf))
    unit, _, largest = (Wide(float(figure)) for figure in PRECISION[dtype.name])
    above, below = np.where(rounded > found, rounded, up), np.where(rounded < found, rounded, down)
    return np.where(np.isinf(above) & np.isfinite(found), largest / (1 - unit), above), below
