"""Measure a function on all 2**32 numbers of float32.

There are 512 shards of one sign and binade each, with a checkpoint after each.
The real values are computed in float64, by functions of numpy whose errors are below `ALLOWED` of its ulp, that is
2**-26 ulp of float32. That is checked against extended precision on `CHECKED` numbers of each call, and every result
that is counted or shown because of it (near half an ulp, above a bound, the largest of the shard) is measured again
from the real values of the oracle. For other functions the oracle's values are used throughout, which takes longer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.backends import Host, to_request
from plumbline.oracle.accuracy import Bound
from plumbline.oracle.files import RECORD, read_text, write_file
from plumbline.oracle.rounding import PRECISION, Wide
from plumbline.trial.accuracy.errors import Errors, Truth, bounds_on, plain_bounds, short
from plumbline.trial.accuracy.functions import AccuracyError, Function
from plumbline.trial.accuracy.inputs import buckets_of, numbers_of
from plumbline.trial.accuracy.measure import TIME_LIMIT, answer_of
from plumbline.trial.accuracy.measurement import AgainstProfile, Measurement, Series, Worst

SHARDS = 512
SIZE = 1 << 23
"""Numbers of a shard."""

AT_ONCE = 1 << 20
"""Numbers in one call."""

BLOCK = 1 << 15
"""Numbers measured at once, few enough for the caches of a processor."""

ALLOWED = 8.0
"""The largest error of a function in float64, in ulp."""

LEAST = 2.0**-149
"""The smallest number of float32: errors far below it do not count."""

NEAR = 2.0**-20
"""Distance from a bound within which an error is measured again, in ulp of float32; far more than 2**-26."""

CHECKED = 128
FORMAT = 1
LARGEST = float(PRECISION["float32"][2])


@dataclass(frozen=True)
class Shard:
    """The errors measured on a shard; see `Series`. `exceeding` counts by profile."""

    ulp: float | None
    largest: Worst | None
    wrong: Worst | None
    not_nearest: int
    exceeding: dict[str, int]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Shard:
        """Return a shard of a checkpoint."""
        worst = {key: data[key] and Worst(**data[key]) for key in ("largest", "wrong")}
        return cls(**{**data, **worst})


@dataclass
class Progress:
    """The shards that are done, kept in a file.

    what: the function, backend, specification and suite; a file of anything else is not continued.
    """

    path: Path
    what: dict[str, str]
    shards: dict[int, Shard] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, what: dict[str, str]) -> Progress:
        """Read a file, or begin without. Raises AccuracyError."""
        if not path.exists():
            return cls(path, what)
        try:
            data = json.loads(read_text(path, RECORD))
            shards = {int(number): Shard.from_json(entry) for number, entry in data["shards"].items()}
            same = data["format"] == FORMAT and data["what"] == what
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise AccuracyError(f"{path} cannot be read ({type(error).__name__}: {error}); delete it to start "
                                "again") from None
        if not same:
            raise AccuracyError(f"{path} is of another function, backend, specification or version of the suite; "
                                "delete it to start again")
        return cls(path, what, shards)

    def add(self, number: int, shard: Shard) -> None:
        """Add a shard, and replace the file."""
        self.shards[number] = shard
        write_file(self.path, json.dumps({"format": FORMAT, "what": self.what, "shards": {
            number: asdict(entry) for number, entry in self.shards.items()}}))


def every_float32(function: Function, host: Host, progress: Progress, span: range,
                  report: Callable[[int, float], None]) -> Measurement:
    """Measure the shards that are not done; return the measurement of all in the span.

    `report` gets, after each shard, how many were done by this call, and in how many seconds. Raises AccuracyError for
    a backend that gives no results."""
    bounds, began = bounds_on(function.spec.operator, "float32"), time.monotonic()
    left = [number for number in span if number not in progress.shards]
    for done, number in enumerate(left, 1):
        progress.add(number, _shard(function, host, number, bounds))
        report(done, time.monotonic() - began)
    series = _together(str(host.identity), {number: progress.shards[number] for number in span}, bounds)
    how = "all" if len(span) == SHARDS else \
        f"all with bits from {span.start * SIZE:#010x} to {span.stop * SIZE - 1:#010x}"
    return Measurement(function.name, function.file, "float32", len(span) * SIZE, how, 2.0**-26,
                       plain_bounds(bounds), [series])


def _shard(function: Function, host: Host, number: int, bounds: dict[str, dict[str, Bound]]) -> Shard:
    """Measure the numbers of one shard, 0 to 511. `bounds`: of accuracy profiles, by profile and clause address."""
    tally = _Tally(number, min((level for level in plain_bounds(bounds).values() if level > 0.5), default=np.inf))
    generator = np.random.default_rng(number)
    for x, got in _results(function, host, number):
        _check(function, x[generator.integers(0, len(x), CHECKED)])
        for first in range(0, AT_ONCE, BLOCK):
            tally.add(function, x[first:first + BLOCK], got[first:first + BLOCK])
    x, got = (np.concatenate(parts) for parts in zip(*tally.again, strict=True))
    if not len(x):
        return Shard(None, None, tally.wrong, tally.not_nearest, {})
    truth = _truth(function, x)
    series, ulp = truth.series("", got, "", bounds), truth.errors(got).ulp
    not_nearest = tally.not_nearest + int(np.count_nonzero((ulp > 0.5 + truth.unsure) & (ulp <= 0.5 + NEAR)))
    exceeding = {profile: entry.exceeding for profile, entry in series.against.items()}
    for profile, level in plain_bounds(bounds).items():
        if level == 0.5 and profile in exceeding:  # of which not all were measured again
            exceeding[profile] = not_nearest + int(np.count_nonzero(truth.has_value & np.isinf(got)))
    return Shard(series.ulp[number], series.largest, tally.wrong, not_nearest, exceeding)


@dataclass
class _Tally:
    """The sums of a shard.

    lowest: the lowest bound above half an ulp.
    again:  inputs and results that are to be measured again.
    not_nearest: results that are farther than half an ulp, by more than `NEAR`.
    """

    number: int
    lowest: float
    again: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    not_nearest: int = 0
    wrong: Worst | None = None

    def add(self, function: Function, x: np.ndarray, got: np.ndarray) -> None:
        """Add a block."""
        errors = _errors(function, x, got)
        self.not_nearest += int(np.count_nonzero(errors.ulp > 0.5 + NEAR))
        again = (np.abs(errors.ulp - 0.5) <= NEAR) | (errors.ulp > self.lowest - NEAR) | errors.wrong & np.isfinite(x)
        if not np.isnan(errors.ulp).all():
            again[np.nanargmax(errors.ulp)] = True
        self.again.append((x[again], got[again]))
        places = np.flatnonzero(errors.wrong)
        if len(places):
            part = slice(places[0], places[0] + 1)
            first = self.wrong or _truth(function, x[part]).series("", got[part], "", {}).wrong[str(self.number)]
            self.wrong = replace(first, count=len(places) + (self.wrong.count if self.wrong else 0))


def _results(function: Function, host: Host, number: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the inputs of calls with their results."""
    for start in range(number * SIZE, (number + 1) * SIZE, AT_ONCE):
        x = numbers_of(np.arange(start, start + AT_ONCE, dtype=np.uint32), "float32")
        request = to_request(function.spec, function.call(x), function.spec.opset, TIME_LIMIT)
        got = answer_of(host.run(request), x.dtype, len(x))
        if isinstance(got, str):
            raise AccuracyError(f"{host.identity}: {function.name} of float32 from bits {start:#010x} on: {got}")
        yield x, got


def _errors(function: Function, x: np.ndarray, got: np.ndarray) -> Errors:
    """Measure results as `Truth.errors` does, in float64 where the function is known there."""
    exact = in_float64(function, x)
    if exact is None:
        return _truth(function, x).errors(got)
    with np.errstate(all="ignore"):
        given = got.astype(np.float64)
        size = np.abs(exact)
        ulp = np.abs(given - exact) * _units_per_one(exact)
        if size.max() <= LARGEST and np.isfinite(ulp).all():  # mostly
            return Errors(ulp, np.zeros(len(x), bool))
        beyond = np.isfinite(x) & (x != 0) & (size > LARGEST)
        right = np.where(np.isnan(exact), np.isnan(given), given == exact)
        right = np.where(beyond, (np.abs(given) >= LARGEST) & (np.signbit(given) == np.signbit(exact)), right)
        right = np.where(size <= LARGEST, np.isfinite(given), right)
        return Errors(np.where((size <= LARGEST) & right, ulp, np.nan), ~right)


def in_float64(function: Function, x: np.ndarray) -> np.ndarray | None:
    """Return the values of a function in float64; None where its definition has no formula that stays in float64."""
    formula = getattr(function.spec.definition, "function", None)
    if formula is None or formula(np.ones(1)).dtype != np.float64:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(formula(x.astype(np.float64)))


def _units_per_one(exact: np.ndarray) -> np.ndarray:
    """Return the reciprocals of the ulp of float32 around numbers of float64, which are powers of two."""
    power = np.maximum((exact.view(np.int64) >> 52 & 0x7FF) - 1023, -126) - 23
    return np.asarray(((1023 - power) << 52).view(np.float64))


def _truth(function: Function, x: np.ndarray) -> Truth:
    return Truth(x, function.definition(x), buckets_of(x), SHARDS)


def _check(function: Function, x: np.ndarray) -> None:
    """Compare float64 with the oracle on some numbers. Raises AccuracyError."""
    exact = in_float64(function, x)
    if exact is None or not len(x):
        return
    truth = _truth(function, x)
    with np.errstate(all="ignore"):
        off = np.abs(exact.astype(Wide) - truth.exact) / np.spacing(np.maximum(np.abs(exact), LEAST))
    far = truth.has_value & ~(off <= ALLOWED)
    if far.any():
        raise AccuracyError(f"{function.name} in float64 is {float(off[far][0]):.3g} ulp from the oracle's value at "
                            f"{x[far][0]!s}; at most {ALLOWED:g} are allowed for")


def _together(backend: str, shards: dict[int, Shard], bounds: dict[str, dict[str, Bound]]) -> Series:
    """Return the series of shards."""
    series = Series(backend, "", [shards[number].ulp if number in shards else None for number in range(SHARDS)])
    for number, shard in shards.items():
        if shard.ulp is not None and shard.ulp > 0.5 and shard.largest:
            series.at[str(number)] = shard.largest.x
        if shard.wrong:
            series.wrong[str(number)] = shard.wrong
        series.not_nearest += shard.not_nearest
    largest = [shard.largest for shard in shards.values() if shard.largest and shard.largest.ulp is not None]
    series.largest = max(largest, key=lambda entry: entry.ulp or 0.0, default=None)
    for profile, level in plain_bounds(bounds).items():
        exceeding = sum(shard.exceeding.get(profile, 0) for shard in shards.values())
        error = series.largest.ulp if series.largest and series.largest.ulp else 0.0
        series.against[profile] = AgainstProfile(short(error / level), exceeding)
    return series
