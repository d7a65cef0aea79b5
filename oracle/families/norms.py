"""The Lp norm over windows, compared with outputs.

A norm is computed in three steps: powers, their sum, and its root. In the notation of `oracle.rounding`:

A power takes p - 1 multiplications, or is rounded once to one of its two neighbours, which is less than two units u
off: at most r = max(p - 1, 2) factors 1 + u, and r = 2 where p is not an integer. Their sum of n terms then lies
between S(1 - g) and S(1 + g), with S the exact one and g = (1 + u)**(n - 1 + r) - 1; g is 0 where no order rounds
anything.

The root of a computed sum s is one of the two neighbours of s**(1/p): a number y is one of them for some such s if
and only if the next number above y is greater than the root of the lowest s, and the next one below y less than that of
the highest. Both sides raised to the power p, nothing irrational is left to be computed. A wider type in between,
rounded to nearest at the end, gives no others. The numbers are those of the type as if its exponent had no end; what is
beyond the end is an infinity.

Where 1/p is not a number of the type, its rounding is a factor 1 + d of the exponent, with |d| <= u: s**(1/p) is
multiplied by s**(d/p), which lies between exp(-u*L) and exp(u*L) with L = |log s|/p.

With p 1 there is neither power nor root, and the bound is that of the sum (`families.products`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.families.windows import Windows
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, SLACK, Sums, Wide, exponent, grown, growth, quantum, ulps


@dataclass(frozen=True, eq=False)
class Norms(Windows):
    """The norms of windows over floating-point numbers.

    p: at least 1.
    """

    p: int | float

    # Exact values, in extended precision

    @cached_property
    def magnitudes(self) -> np.ndarray:
        """The absolute values of X, in its shape; 0 where one is not finite."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            x = np.abs(self.x.astype(Wide))
        return np.where(np.isfinite(x), x, 0)

    def power(self, of: np.ndarray) -> np.ndarray:
        """Numbers from 0 on, to the power p."""
        with np.errstate(all="ignore"):
            return of if self.p == 1 else np.asarray(of * of if self.p == 2 else np.power(of, Wide(self.p)))

    @cached_property
    def scale(self) -> np.ndarray:
        """int: for each window the exponent of a power of two that its elements lie below; 0 where all are zero."""
        exponents = np.where(self.magnitudes > 0, np.frexp(self.magnitudes)[1], -NO_QUANTUM)
        found = -self.least(-exponents.astype(np.int64), NO_QUANTUM)
        return np.where(found == -NO_QUANTUM, 0, found).astype(np.int32)

    def scaled(self, magnitudes: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """The sums of the powers of elements, each of which was divided by two to the power `scale` before."""
        found = np.zeros(self.shape, Wide)
        for tap in self.taps:
            found[:, :, *tap.windows] += self.power(np.ldexp(magnitudes[:, :, *tap.cells], -scale[:, :, *tap.windows]))
        return found

    @cached_property
    def total(self) -> np.ndarray:
        """The sums of powers, scaled."""
        return self.scaled(self.magnitudes, self.scale)

    @cached_property
    def wide(self) -> np.ndarray:
        """The norms."""
        root = np.sqrt(self.total) if self.p == 2 else np.power(self.total, 1 / Wide(self.p))
        return np.asarray(np.ldexp(self.total if self.p == 1 else root, self.scale))

    @cached_property
    def special(self) -> tuple[np.ndarray, np.ndarray]:
        """bool: which windows select a NaN; and which an infinity."""
        x = self.x.astype(Wide)
        return self.selects(np.isnan(x)), self.selects(np.isinf(x))

    @property
    def finite(self) -> np.ndarray:
        """bool: which windows select neither."""
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
        """How many roundings a sum of powers carries, n - 1 + r in the text of the module; in extended precision, since
        p may be as large as one likes."""
        of_powers = 0 if self.p == 1 else max(self.p - 1, 2) if self.p == int(self.p) else 2
        return np.asarray(np.maximum(self.selected - 1, 0).astype(Wide) + Wide(of_powers))

    @cached_property
    def exact(self) -> np.ndarray:
        """bool: which sums have no rounding error in any order; asked of squares alone, for which it decides."""
        if self.p != 2:
            return np.zeros(self.shape, dtype=bool)
        size = np.ldexp(self.total, 2 * self.scale)
        least = 2 * self.least(quantum(self.x), NO_QUANTUM)
        return Sums(size, size, self.selected, 2, least, self.x.dtype).exact

    @cached_property
    def growth(self) -> np.ndarray:
        """How far, relative to a sum of powers, a computed one may be from it: g in the text of the module."""
        with np.errstate(over="ignore"):
            return np.where(self.exact, 0, growth(self.factors, self.x.dtype))

    @cached_property
    def exponent_error(self) -> np.ndarray:
        """How far the logarithm of a norm may be off by the rounding of 1/p: u*L in the text of the module."""
        stored = Fraction(float(self.x.dtype.type(1 / self.p)))
        if stored * Fraction(self.p) == 1:
            return np.zeros(self.shape, Wide)
        unit = Wide(float(PRECISION[self.x.dtype.name][0]))
        with np.errstate(divide="ignore"):
            logarithm = np.where(self.wide > 0, np.abs(np.log(self.wide)), 0)
        return np.asarray(unit * (logarithm + np.log1p(self.growth) / Wide(self.p)))

    def between(self, got: np.ndarray, low: np.ndarray, high: np.ndarray, scale: np.ndarray
                ) -> tuple[np.ndarray, np.ndarray]:
        """bool, twice: which numbers certainly, and which possibly, are a neighbour of the root of a computed sum that
        comes from an exact one between `low` and `high`, both scaled."""
        above, below = neighbours(got, self.x.dtype)
        room = SLACK + (self.selected + 3) * np.finfo(Wide).eps
        with np.errstate(all="ignore"):
            off = np.exp(Wide(self.p) * self.exponent_error)
            lowest = np.where(low > 0, low * np.maximum(1 - self.growth, 0) / off, 0)
            highest = np.where(high > 0, high * (1 + self.growth) * off, 0)
            up, down = (self.power(np.ldexp(np.maximum(side, 0), -scale)) for side in (above, below))
            bounded = [((lowest == 0) & (got >= 0) | (up > lowest * (1 + side * room)))
                       & ((below < 0) | (down < highest * (1 - side * room))) for side in (1, -1)]
        return np.asarray(bounded[0]), np.asarray(bounded[1])

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Where `got`, numbers of the output's shape, lies outside the bound of the module's text. What extended
        precision leaves undecided is decided with fractions for squares; for other powers the texts leave open more."""
        if self.p == 1:
            return np.asarray(self._plain.wrong(got))
        right, possible = self.between(got, self.total, self.total, self.scale)
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
        factor = Fraction(1) if self.exact[place] else grown(int(self.factors[place]), self.x.dtype)
        up, down = (Fraction(*side.as_integer_ratio()) if np.isfinite(side) else None for side in (above, below))
        return (up is None or up ** 2 > total * (2 - factor)) and (
            down is not None and (down < 0 or down ** 2 < total * factor))

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every number lies that is not `wrong`."""
        unit, eta, _ = (Wide(float(figure)) for figure in PRECISION[self.x.dtype.name])
        if self.p == 1:
            return float(np.max(self._plain.bound, initial=0) + np.max(self.wide, initial=0) * unit + eta)
        with np.errstate(over="ignore"):
            off = np.power(1 + self.growth, 1 / Wide(self.p)) * np.exp(self.exponent_error) * (1 + 2 * unit) ** 2
            far = self.wide * np.where(self.growth < 1, off - 1, np.maximum(off - 1, 1)) * 2
        return float(np.max(far, initial=0) + eta) * (1 + 2 * SLACK)

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the norm among the elements of `where`, in ulp of the norm in the type of X."""
        return ulps(np.asarray(got)[where], self.values[where], self.wide[where])

    # What intermediate results may do

    @property
    def may_overflow(self) -> np.ndarray:
        """bool: where the sum of powers, computed in some order, can exceed the range of the type."""
        unit, _, largest = (Wide(float(figure)) for figure in PRECISION[self.x.dtype.name])
        with np.errstate(over="ignore", invalid="ignore"):
            size = self.total * (1 + self.growth) * np.exp2(Wide(self.p) * self.scale)
        return np.asarray((self.total > 0) & ~(size < largest * (1 + unit / 2)))

    @cached_property
    def _normal(self) -> int:
        """The exponent of the smallest normal number of the type."""
        unit, eta, _ = PRECISION[self.x.dtype.name]
        return exponent(eta) - exponent(unit) - 1

    @cached_property
    def tiny(self) -> np.ndarray:
        """bool, in the shape of X: where the power of an element other than 0 is below the smallest normal number."""
        about = int(np.ceil(self._normal / self.p))
        smallest = np.exp2(self._normal - Wide(self.p) * about)
        return np.asarray((self.magnitudes > 0) & (self.power(np.ldexp(self.magnitudes, -about)) < smallest))

    def admits_underflow(self, got: np.ndarray) -> np.ndarray:
        """bool: which numbers come of powers that are below the smallest normal number and are replaced by numbers from
        0 to that."""
        scale = np.maximum(self.scale, int(np.ceil(self._normal / self.p))).astype(np.int32)
        low = self.scaled(np.where(self.tiny, 0, self.magnitudes), scale)
        replaced = np.zeros(self.shape, np.int64)
        for tap in self.taps:
            replaced[:, :, *tap.windows] += self.tiny[:, :, *tap.cells]
        high = low + replaced * np.exp2(self._normal - Wide(self.p) * scale)
        return self.between(got, low, high, scale)[1]

    def near(self, got: np.ndarray) -> np.ndarray:
        """bool: which numbers agree with the norm in the upper half of the significand."""
        unit = Wide(float(PRECISION[self.x.dtype.name][0]))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(np.asarray(got).astype(Wide) - self.wide) <= np.sqrt(unit) * self.wide)


def neighbours(got: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """In extended precision, the next number of a type above each number, as if its exponent had no end, and the next
    one below."""
    with np.errstate(all="ignore"):
        found, nearest = np.asarray(got).astype(Wide), np.asarray(got).astype(dtype)
        rounded = nearest.astype(Wide)
        up, down = (np.nextafter(nearest, dtype.type(side)).astype(Wide) for side in (np.inf, -np.inf))
    unit, _, largest = (Wide(float(figure)) for figure in PRECISION[dtype.name])
    above, below = np.where(rounded > found, rounded, up), np.where(rounded < found, rounded, down)
    return np.where(np.isinf(above) & np.isfinite(found), largest / (1 - unit), above), below
