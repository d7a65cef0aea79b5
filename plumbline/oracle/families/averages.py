"""Means: sums of floating-point numbers over a divisor, with error bounds.

The error bound is that of a sum (`oracle.rounding`) over the divisor D, and one more factor 1 + u for a division, or
two for a multiplication by a rounded reciprocal, which may come before it or after. There is none where D is a power of
two, and no rounding at all where the sum is exact besides. Where D is not a number of the type, which it may be above
1/u, its own rounding is one more. A division adds an absolute error of at most eta/2 below the normal range, for each
of at most n. Where the reciprocal of D is below the normal range (D above 2**14 in float16), its own error is absolute,
too: at most eta/2, which the sum of the absolute values multiplies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from plumbline.oracle.rounding import PRECISION, SLACK, Sums, Wide, exponent, growth, smallest_normal


@dataclass(frozen=True, eq=False)
class Averages:
    """Means; arrays have the shape of the output.

    sums:    of the finite elements.
    divisor: int, at least 1; Python's integers where they are beyond 64 bits.
    cells:   gives the elements of X, in extended precision, that the sum at a place is of; asked for those places that
        extended precision does not decide.
    finite:  bool: where every element is.
    """

    sums: Sums
    divisor: np.ndarray
    cells: Callable[[tuple[int, ...]], np.ndarray]
    finite: np.ndarray | bool = True

    @cached_property
    def wide(self) -> np.ndarray:
        """The means in extended precision."""
        return np.asarray(self.sums.total / self._wide_divisor)

    @cached_property
    def _wide_divisor(self) -> np.ndarray:
        """The divisor in extended precision."""
        return self.divisor.astype(Wide)

    @cached_property
    def values(self) -> np.ndarray:
        """The means, rounded to the type."""
        with np.errstate(over="ignore"):
            return self.wide.astype(self.sums.dtype)

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, numbers of the output's shape, outside the bound that the module states."""
        sums, divisor, eta = self.sums, self.divisor, Wide(float(PRECISION[self.sums.dtype.name][1]))
        bound = self.bound
        certified = np.where(self._exact, 0, sums.certified) / self._wide_divisor
        margin = np.where(self._exact, 0, eta)
        found = np.asarray(got).astype(Wide)
        with np.errstate(invalid="ignore"):
            distance = np.abs(found - self.wide)
            surely_right = distance + certified <= np.maximum(bound * (1 - SLACK) - sums.terms * margin, 0)
            surely_wrong = ~np.isfinite(found) | (distance - certified > bound * (1 + SLACK) + margin)
        wrong: np.ndarray = surely_wrong.copy()
        for place in map(tuple, np.argwhere(~surely_right & ~surely_wrong)):
            wrong[place] = self._exactly_wrong(place, found[place], int(divisor[place]))
        return wrong

    @cached_property
    def _exact(self) -> np.ndarray:
        """bool: which sums have no rounding error in any order, also where elements are divided before they are added:
        every quotient is then exact, too."""
        _, eta, _ = PRECISION[self.sums.dtype.name]
        halvings = np.frexp(self._wide_divisor)[1] - 1
        return np.asarray(self.sums.exact & self._halves & (self.sums.quantum - halvings >= exponent(eta)))

    @property
    def _halves(self) -> np.ndarray:
        """bool: where the divisor is a power of two."""
        return np.asarray(self.divisor & (self.divisor - 1) == 0)

    @cached_property
    def bound(self) -> np.ndarray:
        """The largest distance of a conforming mean from the exact one."""
        eta = Wide(float(PRECISION[self.sums.dtype.name][1]))
        return np.asarray(np.where(self._exact, np.where(self._wide_divisor > 1, eta, 0), self.inexact_bound))

    @cached_property
    def inexact_bound(self) -> np.ndarray:
        """`bound`, whatever the digits of the elements."""
        sums, dtype = self.sums, self.sums.dtype
        grown = growth(sums.terms - 1 + np.maximum(self._roundings, 2), dtype)
        return np.asarray(grown * self.magnitude + sums.terms * Wide(float(PRECISION[dtype.name][1]))
                          + (1 + grown) * sums.size * self._of_reciprocal)

    @property
    def center(self) -> np.ndarray:
        """The exact means of the finite elements."""
        return self.wide

    @property
    def certified_center(self) -> np.ndarray:
        """The largest error of `center`."""
        return np.asarray(self.sums.certified / self._wide_divisor)

    @property
    def magnitude(self) -> np.ndarray:
        """The means of magnitudes."""
        return np.asarray(self.sums.size / self._wide_divisor)

    @cached_property
    def _roundings(self) -> np.ndarray:
        """The rounding errors that dividing by the divisor may carry: none where it is a power of two."""
        large = self.divisor > int(1 / PRECISION[self.sums.dtype.name][0])
        return np.where(self._halves, 0, 2 + large)

    @property
    def _of_reciprocal(self) -> np.ndarray:
        """The absolute error of the reciprocal of the divisor: eta/2 below the normal range, unless it is exact."""
        eta, reciprocal = Wide(float(PRECISION[self.sums.dtype.name][1])), 1 / self._wide_divisor
        rounded = ~self._halves | (reciprocal < eta)
        return np.where(rounded & (reciprocal < smallest_normal(self.sums.dtype)), eta / 2, 0)

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every mean lies that is not `wrong`: the largest bound of all, and the
        rounding of `values`."""
        eta = Wide(float(PRECISION[self.sums.dtype.name][1]))
        rounding = np.abs(self.values.astype(Wide) - self.wide)
        return float(np.max(self.bound + eta + rounding, initial=0)) * (1 + 2 * SLACK)

    def _exactly_wrong(self, place: tuple[int, ...], got: Wide, divisor: int) -> bool:
        """Decide `wrong` for one element, with fractions."""
        u, eta, _ = PRECISION[self.sums.dtype.name]
        values = [Fraction(*cell.as_integer_ratio()) for cell in self.cells(place) if np.isfinite(cell)]
        mean, division = sum(values, Fraction(0)) / divisor, int(self._roundings[place])
        if bool(self._exact[place]):
            bound = eta if divisor > 1 else Fraction(0)
        else:
            grown = (1 + u) ** (len(values) - 1 + max(division, 2))
            size = sum(map(abs, values), Fraction(0))
            of_reciprocal = Fraction(*self._of_reciprocal[place].as_integer_ratio())
            bound = (grown - 1) * size / divisor + grown * (len(values) * eta / 2 + size * of_reciprocal)
        return abs(Fraction(*got.as_integer_ratio()) - mean) > bound
