"""Sums of products of floating-point numbers, with error bounds.

A definition lays out the terms of all elements of its output at once, as steps; what comes of it are the sums, what
IEEE 754 makes of terms that are not finite, and which answers lie within the rounding error of some order of summation
(`oracle.rounding`). Integers, which wrap around, are computed by the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, SLACK, Sums, Wide, grown, overflown, quantum, ulps


@dataclass(frozen=True, eq=False)
class Step:
    """A term of many elements at once: the product of its factors.

    factors: arrays of floating-point numbers that broadcast to the shape of those elements.
    where:   which elements of the output, a slice of step 1 for each of the first axes; () is all of them.
    quanta:  of the factors (see `quantum`), where these are known.
    """

    factors: tuple[np.ndarray, ...]
    where: tuple[slice, ...] = ()
    quanta: tuple[np.ndarray, ...] = ()

    def term(self, place: tuple[int, ...], shape: tuple[int, ...]) -> Fraction | None:
        """The exact term of one element of an output of that shape; None where it has none, or none that is finite."""
        cuts = self.where + (slice(None),) * (len(shape) - len(self.where))
        spans = [range(*cut.indices(size)) for cut, size in zip(cuts, shape, strict=True)]
        if not all(at in span for at, span in zip(place, spans, strict=True)):
            return None
        inner = tuple(at - span.start for at, span in zip(place, spans, strict=True))
        values = [np.broadcast_to(factor, tuple(map(len, spans)))[inner].astype(Wide) for factor in self.factors]
        if not np.isfinite(values).all():
            return None
        return prod((Fraction(*value.as_integer_ratio()) for value in values), start=Fraction(1))


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of products, compared with outputs; arrays have the shape of the output.

    sums:  of the finite terms.
    nan:   bool: where a term is NaN; `plus` and `minus`: where one is an infinity of that sign.
    steps: that the terms came from.
    allowance: how much farther from the exact sum than the bound of `sums` a conforming one may be: 0 where the terms
        are rounded as `sums` has it. An element that has one is not exact.
    """

    sums: Sums
    nan: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    steps: tuple[Step, ...]
    allowance: np.ndarray = field(default_factory=lambda: np.zeros((), Wide))

    @classmethod
    def of(cls, steps: Iterable[Step], shape: tuple[int, ...], dtype: np.dtype, roundings: int = 1,
           allowance: np.ndarray | None = None) -> Products:
        """Return the sums of steps, each a term of many elements of an output of a shape and element type.

        `roundings` are those of a term before it is added, and `allowance` is as in the class."""
        steps = tuple(steps)
        total, size = np.zeros(shape, Wide), np.zeros(shape, Wide)
        terms, least = np.zeros(shape, np.int64), np.full(shape, NO_QUANTUM, np.int64)
        nan, plus, minus = (np.zeros(shape, bool) for _ in range(3))
        for step in steps:
            where: Any = (*step.where, ...)
            with np.errstate(invalid="ignore"):
                product = prod((factor.astype(Wide, copy=False) for factor in step.factors), start=Wide(1))
            finite = np.isfinite(product)
            if not finite.all():
                nan[where] |= np.isnan(product)
                plus[where] |= product == np.inf
                minus[where] |= product == -np.inf
                product = np.where(finite, product, 0)
            total[where] += product
            size[where] += np.abs(product)
            terms[where] += 1
            least[where] = np.minimum(least[where], sum(step.quanta or map(quantum, step.factors)))
        sums = Sums(total, size, terms, roundings, least, dtype)
        return cls(sums, nan, plus, minus, steps, np.zeros((), Wide) if allowance is None else allowance)

    @property
    def finite(self) -> np.ndarray:
        """bool: where every term is finite."""
        return np.asarray(~(self.nan | self.plus | self.minus))

    @cached_property
    def values(self) -> np.ndarray:
        """The sums, rounded to the type, beyond its range an infinity; what IEEE 754 gives where a term is not finite:
        NaN for a NaN and for both infinities, else the infinity."""
        of_infinities = np.where(self.minus, -np.inf, np.inf)
        special = np.where(self.nan | self.plus & self.minus, np.nan, of_infinities)
        return np.asarray(np.where(self.finite, self.sums.values, special.astype(self.sums.dtype)))

    @cached_property
    def bound(self) -> np.ndarray:
        """The largest distance of a conforming sum from the exact one."""
        return np.asarray(np.where(self.sums.exact & (self.allowance == 0), 0, self.inexact_bound))

    @property
    def center(self) -> np.ndarray:
        """The exact sums of the finite terms."""
        return np.asarray(self.sums.total, Wide)

    @property
    def certified_center(self) -> np.ndarray:
        """The largest error of `center`."""
        return np.asarray(self.sums.certified, Wide)

    @property
    def magnitude(self) -> np.ndarray:
        """The sums of magnitudes."""
        return np.asarray(self.sums.size, Wide)

    @cached_property
    def inexact_bound(self) -> np.ndarray:
        """`bound`, whatever the digits of the terms."""
        return np.asarray(self.sums.inexact_bound + self.allowance.astype(self.sums.computed))

    @cached_property
    def _may_be_exact(self) -> np.ndarray:
        """bool: where the bound may be 0. The total of an exact sum is a number of the type, which few sums are, and
        whether it is exact takes long to find."""
        return np.asarray((self.sums.total == self.values) | ~np.isfinite(self.values))

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """bool: where `got` is neither `values` nor, where these sums are finite, within the bound."""
        sums = self.sums
        eta = sums.computed(PRECISION[sums.dtype.name][1])
        found, values = np.asarray(got).astype(sums.computed), self.values.astype(sums.computed)
        with np.errstate(invalid="ignore"):
            same = (found == values) | np.isnan(found) & np.isnan(values)
            distance = np.abs(found - sums.total)
            near = distance + sums.certified <= self.inexact_bound * (1 - SLACK) - eta
            if (same | self.finite & near & ~self._may_be_exact).all():
                return np.zeros(same.shape, bool)
            bound = self.bound
            certified, margin = (np.where(bound == 0, 0, room) for room in (sums.certified, eta))
            right = same | self.finite & (distance + certified <= bound * (1 - SLACK) - margin)
            wrong = ~same & (~self.finite | ~np.isfinite(found) | (distance - certified > bound * (1 + SLACK) + margin))
        for place in map(tuple, np.argwhere(~right & ~wrong)):
            wrong[place] = self._exactly_wrong(place, found[place])
        return np.asarray(wrong)

    def _exactly_wrong(self, place: tuple[int, ...], got: np.floating) -> bool:
        """Decide `wrong` for one element, with fractions."""
        _, eta, _ = PRECISION[self.sums.dtype.name]
        terms = self.terms(place)
        distance = abs(Fraction(*got.as_integer_ratio()) - sum(terms, Fraction(0)))
        if self.bound[place] == 0:
            return distance != 0
        factors, count = max(len(terms) - 1, 0) + self.sums.roundings, len(terms)
        bound = (grown(factors, self.sums.dtype) - 1) * sum(map(abs, terms), Fraction(0))
        bound += grown(factors, self.sums.dtype) * self.sums.roundings * count * eta / 2
        allowance = np.broadcast_to(self.allowance, self.nan.shape)[place]
        return bool(distance > bound + Fraction(*allowance.as_integer_ratio()))

    def terms(self, place: tuple[int, ...]) -> list[Fraction]:
        """The exact terms of one element, those that are finite."""
        return [term for step in self.steps if (term := step.term(place, self.nan.shape)) is not None]

    @cached_property
    def overflow(self) -> tuple[np.ndarray, np.ndarray]:
        """Two masks: overflow by positive and by negative terms, allowance included."""
        return self.sums.overflow(self.allowance)

    @property
    def may_overflow(self) -> np.ndarray:
        """bool: where some value admitted by `admits_overflow` is not among `values`."""
        up, down = self.overflow
        return np.asarray(self.finite & (up | down) | ~self.nan & (self.plus & down | self.minus & up))

    def admits_overflow(self, got: np.ndarray) -> np.ndarray:
        """Of elements that may overflow: an infinity whose terms may add up to it, NaN where both are possible; an
        infinite term is one whose sum has overflowed."""
        up, down = self.overflow
        nan = (up | self.plus) & (down | self.minus)
        return np.asarray(np.isnan(got) & nan | self.finite & ((got == np.inf) & up | (got == -np.inf) & down))

    def admits_largest(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of largest finite numbers in place of sums beyond the range, of their sign."""
        return np.asarray(self.finite & np.isinf(self.values.astype(Wide)) & overflown(got, self.values))

    @property
    def tolerance(self) -> float:
        """A distance from `values` within which every finite sum lies that is not `wrong`."""
        if not self.nan.size:
            return 0.0
        number = self.sums.computed
        with np.errstate(invalid="ignore"):
            rounding = np.abs(self.values.astype(number) - self.sums.total)
        room = np.where(np.isfinite(rounding), rounding, 0) + number(PRECISION[self.sums.dtype.name][1])
        inexact = room + self.inexact_bound
        if inexact.max() > inexact.max(where=~self._may_be_exact, initial=0):
            inexact = room + self.bound
        return float(inexact.max()) * (1 + 2 * SLACK)

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the exact sum among the elements of `where`, in ulp of the sum."""
        where = where & self.finite
        return ulps(np.asarray(got)[where], self.values[where], self.sums.total[where])


@dataclass(frozen=True, eq=False)
class SumsByPlace(Products):
    """Sums whose terms are asked for by place."""

    terms_at: Callable[[tuple[int, ...]], list[Fraction]] = field(kw_only=True)

    def terms(self, place: tuple[int, ...]) -> list[Fraction]:
        """The exact terms of one element, those that are finite."""
        return self.terms_at(place)
