"""Sums of products: what homes of convolutions and matrix products share.

The bound is that of a sum of products (`oracle.rounding`); integers are computed modulo 2**bits by the homes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plumbline.oracle.rounding import PRECISION, SLACK, Sums, Wide, ulps

Terms = Callable[[tuple[int, ...]], list[tuple[Fraction, Fraction]]]
"""For an element of the output, the exact factors of each of its terms; an addend is paired with 1."""


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of products of floating-point numbers, compared with outputs; arrays have the shape of the output.

    sums:   of the finite terms.
    terms:  gives the terms of an element, for those that the extended precision does not decide.
    """

    sums: Sums
    terms: Terms

    @property
    def values(self) -> np.ndarray:
        """The sums, rounded to the type."""
        return self.sums.values

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """bool: where `got` is not finite, or farther from the exact sum than a conforming one may be."""
        sums = self.sums
        bound = sums.bound
        eta = Wide(float(PRECISION[sums.dtype.name][1]))
        certified, margin = np.where(sums.exact, 0, sums.certified), np.where(sums.exact, 0, eta)
        found = np.asarray(got).astype(Wide)
        with np.errstate(invalid="ignore"):
            distance = np.abs(found - sums.total)
            right = distance + certified <= bound * (1 - SLACK) - margin
            wrong = ~np.isfinite(found) | (distance - certified > bound * (1 + SLACK) + margin)
        for place in map(tuple, np.argwhere(~right & ~wrong)):
            wrong[place] = self._exactly_wrong(place, found[place])
        return np.asarray(wrong)

    def _exactly_wrong(self, place: tuple[int, ...], got: Wide) -> bool:
        """The same question of one element, with fractions."""
        u, eta, _ = PRECISION[self.sums.dtype.name]
        pairs = self.terms(place)
        exact = sum((one * other for one, other in pairs), Fraction(0))
        if bool(self.sums.exact[place]):
            return Fraction(*got.as_integer_ratio()) != exact
        size = sum((abs(one * other) for one, other in pairs), Fraction(0))
        grown = (1 + u) ** (max(len(pairs) - 1, 0) + self.sums.roundings)
        bound = (grown - 1) * size + grown * self.sums.roundings * len(pairs) * eta / 2
        return abs(Fraction(*got.as_integer_ratio()) - exact) > bound

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every sum lies that is not `wrong`."""
        if not self.sums.total.size:
            return 0.0
        eta = Wide(float(PRECISION[self.sums.dtype.name][1]))
        rounding = np.abs(self.values.astype(Wide) - self.sums.total)
        rounding = np.where(np.isfinite(rounding), rounding, 0)
        return float(np.max(self.sums.bound + eta + rounding)) * (1 + 2 * SLACK)

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the exact sum among the elements of `where`, in ulp of the sum."""
        return ulps(np.asarray(got)[where], self.values[where], self.sums.total[where])
