"""Measure the errors of a backend's results, in ulp.

The real values are those of the definition, in extended precision, with the bound on their error that it states
(`RealValues`). They are never computed by an implementation under test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log10

import numpy as np

from plumbline.oracle.accuracy import Bound, compare, unit_in_the_last_place
from plumbline.oracle.definition import Operator
from plumbline.oracle.rounding import PRECISION, Wide
from plumbline.oracle.specification import profiles
from plumbline.trial.accuracy.functions import AccuracyError
from plumbline.trial.accuracy.measurement import AgainstProfile, Series, Worst

HALF = 0.5
"""The largest error of a result that is the next number, in ulp."""


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of results: `ulp` is NaN where there is no figure, `wrong` where another kind of number is right."""

    ulp: np.ndarray
    wrong: np.ndarray


class Truth:
    """The right results of a call of a function, and what errors of others are measured by.

    buckets: of each input, as numbers; `count` is how many there are.
    """

    def __init__(self, x: np.ndarray, definition: Operator, buckets: np.ndarray, count: int) -> None:
        with np.errstate(all="ignore"):  # signalling NaNs, overflow
            real, canonical = definition.real_values(), next(iter(definition.canonical.values()))
        if real is None:
            raise AccuracyError(f"{definition.call.operator} has no real values in {x.dtype.name}")
        self.x, self.buckets, self.count, self.real = x, buckets, count, real
        self.canonical = canonical
        self.largest = Wide(float(PRECISION[x.dtype.name][2]))
        with np.errstate(invalid="ignore"):
            wide = canonical.astype(Wide)
            finite = [np.isfinite(operand.astype(Wide)) & (operand.astype(Wide) != 0) for operand in real.operands]
        self.exact = np.where(real.where, real.exact, wide)
        self.beyond = np.logical_and.reduce(finite) & ~real.where & (np.abs(wide) >= self.largest)
        self.has_value = np.isfinite(self.exact) & ~self.beyond

    @cached_property
    def unit(self) -> np.ndarray:
        """The ulp of each real value."""
        return unit_in_the_last_place(np.where(self.has_value, self.exact, 0), self.x.dtype)

    @cached_property
    def unsure(self) -> float:
        """The largest error of the real values, in ulp."""
        where = self.real.where & self.has_value
        return float((self.real.unsure[where] / self.unit[where]).max()) if where.any() else 0.0

    def errors(self, got: np.ndarray) -> Errors:
        """Measure results. Above the range the infinity and the largest number are right; signs of zeros are ignored.

        An infinity or NaN is never right where the value is a number of the range."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            given = got.astype(Wide)
            right = np.where(np.isnan(self.exact), np.isnan(given), given == self.exact)
            reaches = np.abs(given) >= self.largest
            right = np.where(self.beyond, reaches & (np.signbit(given) == np.signbit(self.exact)), right)
            right = np.where(self.has_value, np.isfinite(given), right)
            ulp = np.abs(given - self.exact) / self.unit
        return Errors(np.where(self.has_value & right, ulp, np.nan).astype(np.float64), ~right)

    def series(self, backend: str, got: np.ndarray, note: str, bounds: dict[str, dict[str, Bound]]) -> Series:
        """Return the errors by bucket, and against accuracy profiles.

        backend: its name and version.
        got:     its results, one for each input.
        note:    a remark for the series, "" for none; see `Series`.
        bounds:  by profile and clause address; see `bounds_on`."""
        errors = self.errors(got)
        by_bucket = np.full(self.count, np.nan)
        order = np.lexsort((errors.ulp, self.buckets))[::-1]
        order = order[~np.isnan(errors.ulp[order])]
        buckets, first = np.unique(self.buckets[order], return_index=True)
        places = order[first]  # the largest error of each bucket
        by_bucket[buckets] = errors.ulp[places]
        series = Series(backend, note, [None if value != value else short(value) for value in by_bucket])
        series.at = {str(bucket): str(self.x[place]) for bucket, place in zip(buckets, places, strict=True)
                     if errors.ulp[place] > HALF + self.unsure}
        series.wrong = self._wrong(errors, got)
        series.not_nearest = int((errors.ulp > HALF + self.unsure).sum())
        if len(places):
            place = places[np.argmax(errors.ulp[places])]
            series.largest = self._worst(got, int(place), errors.ulp[place])
        series.against = self._against(got, bounds)
        return series

    def _wrong(self, errors: Errors, got: np.ndarray) -> dict[str, Worst]:
        places = np.flatnonzero(errors.wrong)
        buckets, first, counts = np.unique(self.buckets[places], return_index=True, return_counts=True)
        return {str(bucket): self._worst(got, int(places[index]), None, int(count))
                for bucket, index, count in zip(buckets, first, counts, strict=True)}

    def _worst(self, got: np.ndarray, place: int, ulp: float | None, count: int = 0) -> Worst:
        exact = float(self.exact[place])
        return Worst(str(self.x[place]), str(got[place]), f"{exact:.9g}", None if ulp is None else short(ulp), count)

    def _against(self, got: np.ndarray, bounds: dict[str, dict[str, Bound]]) -> dict[str, AgainstProfile]:
        found = {}
        for profile, entries in bounds.items():
            with np.errstate(invalid="ignore"):
                comparisons = list(compare(entries, "", self.real, got, self.canonical, (0,)))
            if comparisons:
                wrong = [entry.divergence.where for entry in comparisons if entry.divergence]
                exceeding = sum(len(where) for where in wrong if where is not None)
                found[profile] = AgainstProfile(short(max(entry.share for entry in comparisons)), exceeding)
        return found


def bounds_on(operator: str, dtype: str) -> dict[str, dict[str, Bound]]:
    """Return the bounds of each accuracy profile on an operator in an element type, by address."""
    found = {}
    for name, profile in profiles().items():
        about = {address: bound for address, bound in profile.bounds.items()
                 if bound.function == operator.lower() and dtype in bound.dtypes}
        if about:
            found[name] = about
    return found


def plain_bounds(bounds: dict[str, dict[str, Bound]]) -> dict[str, float]:
    """Return the bounds that are one number of ulp, by profile."""
    found = {}
    for profile, entries in bounds.items():
        first, *others = entries.values()
        if not (others or first.absolute or first.roundings or first.rising or first.inside or first.outside):
            found[profile] = first.ulp
    return found


def short(value: float) -> float:
    """Return a figure in four digits, never below the value, and at least a thousandth if it is not zero."""
    if value < 0.001:
        return 0.001 if value else 0.0
    unit = 10.0 ** (floor(log10(value)) - 3)
    return float(f"{ceil(value / unit * (1 - 1e-12)) * unit:.4g}")
