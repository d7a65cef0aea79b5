"""ReduceSum, ReduceMean, ReduceL1 and others: sums over sets in any order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt, prod
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.averages import Averages
from plumbline.oracle.families.norms import SCALING, Norms
from plumbline.oracle.families.products import Products
from plumbline.oracle.families.reductions import OUTPUT, Reduction
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import UNBOUND, Unspecified, unspecified
from plumbline.oracle.rounding import NO_QUANTUM, Sums, Wide, quantum, ulps


@dataclass(frozen=True, eq=False)
class SetSums(Products):
    """Sums over sets; `factors`, whose products are added, are arrays (sets, elements of each)."""

    factors: tuple[np.ndarray, ...] = ()

    @classmethod
    def of_sets(cls, factors: tuple[np.ndarray, ...]) -> SetSums:
        """Return all sums of the products of `factors`, arrays (sets, elements of each)."""
        terms = np.asarray(prod((factor.astype(Wide) for factor in factors), start=Wide(1)))
        finite = np.isfinite(terms)
        kept = np.where(finite, terms, 0)
        least = sum((quantum(factor) for factor in factors), np.zeros((), np.int64)).min(axis=1, initial=NO_QUANTUM)
        sums = Sums(kept.sum(axis=1), np.abs(kept).sum(axis=1), np.full(len(terms), terms.shape[1]), len(factors) - 1,
                    least, factors[0].dtype)
        nan, plus, minus = (np.asarray(mask.any(axis=1))
                            for mask in (np.isnan(terms), terms == np.inf, terms == -np.inf))
        return cls(sums, nan, plus, minus, (), factors=factors)

    def terms(self, place: tuple[int, ...]) -> list[Fraction]:
        """The exact terms of one set, those that are finite."""
        rows = [factor[place[0]].tolist() for factor in self.factors]
        return [prod(map(Fraction, term), start=Fraction(1)) for term in zip(*rows, strict=True)
                if np.isfinite(term).all()]


class Total(Reduction):
    """A call whose output is the sum of products of factors."""

    exact = False

    factors: ClassVar[Any] = staticmethod(lambda x: (x,))
    """From elements to the factors whose product is added."""

    flag_notes = {**Reduction.flag_notes, "beyond-53-bits": "Some sum or product of integers is beyond 53 bits, which "
                                                            "float64 does not hold to the last."}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        is_beyond = self.is_integer and bool(self.sets.size) and bool((self.sizes > 2**53).any())
        return {**super().value_flags(), "beyond-53-bits": is_beyond}

    @property
    def sizes(self) -> np.ndarray:
        """The sums of the magnitudes of integers."""
        return np.asarray(np.abs(self.terms).sum(axis=1))

    @cached_property
    def products(self) -> SetSums:
        """The sums of floating-point numbers."""
        return SetSums.of_sets(self.factors(self.sets))

    @cached_property
    def terms(self) -> np.ndarray:
        """The exact terms of integers, (sets, elements of each)."""
        factors = self.factors(self.sets.astype(object))
        return np.asarray(factors[0] if len(factors) == 1 else factors[0] * factors[1])

    @cached_property
    def total(self) -> np.ndarray:
        """The exact sums of integers."""
        return np.asarray(self.terms.sum(axis=1))

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: which sums of integers, or parts of them in some order, are beyond the type."""
        ends = np.iinfo(self.data.dtype)
        positive, negative = (np.where(side, self.terms, 0).sum(axis=1) for side in (self.terms > 0, self.terms < 0))
        return np.asarray((positive > ends.max) | (negative < ends.min), dtype=bool)

    def wrapped(self, exact: np.ndarray) -> np.ndarray:
        """Integers modulo two to the number of bits."""
        bits = 8 * self.data.dtype.itemsize
        return np.asarray((exact & (1 << bits) - 1).astype(f"u{bits // 8}").astype(self.data.dtype))

    def reduced(self) -> np.ndarray:
        """The sums."""
        return self.wrapped(self.total) if self.is_integer else self.products.values

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """bool, set by set: which floating-point numbers are beyond the rounding error of every order."""
        return np.asarray(self.products.wrong(got))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of numbers within the rounding error of some order of summation."""
        if self.is_integer or not self.sets.size:
            return super().conforms(output, got)
        return np.asarray(super().conforms(output, got) | self.shaped(~self.wrong(np.asarray(got).reshape(-1))))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sets."""
        return {} if self.is_integer or not self.sets.size else {OUTPUT: self.products.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if self.is_integer or not self.sets.size:
            return {}
        return {"largest error in ulp": self.products.largest_error(got.reshape(-1), judged.reshape(-1))}

    @unspecified(UNBOUND)
    def overflow_of_integers(self) -> Unspecified | None:
        return self.where(self.beyond) if self.is_integer and self.size else None

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        nan, plus, minus = self.products.nan, self.products.plus, self.products.minus
        return self.where(~self.products.finite, lambda got: np.isnan(got) | ~nan & (
            (got == np.inf) & plus & ~minus | (got == -np.inf) & minus & ~plus))

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        products = self.products
        return self.where(products.may_overflow,
                          lambda got: products.admits_overflow(got) | products.admits_largest(got))


class Absolute(Total):
    """A call of ReduceL1."""

    factors = staticmethod(lambda x: (np.abs(x),))


class Squares(Total):
    """A call of ReduceSumSquare."""

    factors = staticmethod(lambda x: (x, x))


class Mean(Total):
    """A call of ReduceMean."""

    of_nothing = np.nan
    multiplied = ("data",)

    @cached_property
    def averages(self) -> Averages:
        """The means of floating-point numbers."""
        divisor, sets = np.full(len(self.sets), self.size), self.sets  # no circle: large arrays go with the call
        return Averages(self.products.sums, divisor, lambda place: sets[place[0]].astype(Wide), self.products.finite)

    @property
    def as_sums(self) -> Averages | None:
        """The `averages`, for sets that have elements."""
        return None if self.is_integer or not self.sets.size else self.averages

    def reduced(self) -> np.ndarray:
        """The means, of integers rounded down."""
        if self.is_integer:
            return self.wrapped(self.total // self.size)
        return np.where(self.products.finite, self.averages.values, self.products.values)

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of numbers beyond the rounding error of a mean."""
        return np.asarray(~self.products.finite | self.averages.wrong(got))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements that conform; of integers those less than 1 from the exact mean."""
        if not self.is_integer or not self.sets.size:
            return super().conforms(output, got)
        given = np.asarray(got).reshape(-1)
        numbers = np.array([int(value) if np.isfinite(value) else 0 for value in given.tolist()], object)
        near = np.abs(numbers * self.size - self.total) < self.size
        return self.shaped(np.asarray(near & (given == numbers), bool))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sets; of integers 1."""
        return {OUTPUT: 1.0 if self.is_integer else self.averages.tolerance} if self.sets.size else {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if self.is_integer or not self.sets.size:
            return {}
        where, means = judged.reshape(-1) & self.products.finite, self.averages
        return {"largest error in ulp": ulps(np.asarray(got).reshape(-1)[where], means.values[where],
                                             means.wide[where])}


class EuclideanNorm(Squares):
    """A call of ReduceL2."""

    largest_set = 1 << 12  # of a window each cell is taken on its own

    @cached_property
    def norms(self) -> Norms:
        """The norms of floating-point numbers, each set as one window."""
        window = Geometry((self.size,), (self.size,), (1,), (1,), (0,), (0,))
        return Norms(self.sets[None], window, (1,), 2)

    def reduced(self) -> np.ndarray:
        """The norms, of integers rounded down."""
        if self.is_integer:
            return self.wrapped(np.array([isqrt(total) for total in self.total], object))
        return self.norms.values.reshape(-1)

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of numbers beyond the rounding error of the squares, their sum and its root."""
        return np.asarray(~self.norms.finite | self.norms.wrong(got.reshape(1, -1, 1))).reshape(-1)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements that conform; of integers those explained by a root in float32."""
        if not self.is_integer or not self.sets.size:
            return super().conforms(output, got)
        root = np.sqrt(self.total.astype(Wide))
        return self.shaped(np.abs(np.asarray(got).reshape(-1).astype(Wide) - root) <= 1 + root * 2.0**-22)

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sets."""
        if self.is_integer and self.sets.size:
            return {OUTPUT: float(1 + np.sqrt(self.total.astype(Wide)).max() * 2.0**-22)}
        return {OUTPUT: self.norms.tolerance} if self.sets.size else {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if self.is_integer or not self.sets.size:
            return {}
        where = judged.reshape(1, -1, 1) & self.norms.finite
        return {"largest error in ulp": self.norms.largest_error(np.asarray(got).reshape(1, -1, 1), where)}

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        where = self.norms.finite & self.norms.may_overflow
        return self.where(where.reshape(-1), lambda got: self.norms.admits_overflow(got.reshape(1, -1, 1)).reshape(-1))

    @unspecified(UNBOUND)
    def underflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        where = self.norms.finite & self.norms.selects(self.norms.tiny)
        return self.where(where.reshape(-1), lambda got: self.norms.admits_underflow(got.reshape(1, -1, 1)).reshape(-1))

    @unspecified(UNBOUND)
    def scaled(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        norms = replace(self.norms, further=SCALING)
        return self.where(norms.finite.reshape(-1), lambda got: ~norms.wrong(got.reshape(1, -1, 1)).reshape(-1),
                          observed=True)
