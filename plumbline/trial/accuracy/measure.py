"""Run a backend on the inputs of a function, and measure its errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plumbline.backends import Answered, Asking, Host, Outcome, Raised, to_request
from plumbline.backends.outcomes import in_words
from plumbline.oracle import Call
from plumbline.trial.accuracy.errors import Truth, bounds_on, plain_bounds
from plumbline.trial.accuracy.functions import Function
from plumbline.trial.accuracy.inputs import (
    PER_BUCKET,
    all_inputs,
    bucket_count,
    buckets_of,
    drawn_inputs,
    result_classes,
)
from plumbline.trial.accuracy.measurement import Measurement, Series

AT_ONCE = 1 << 16
"""Numbers in one call."""

TIME_LIMIT = 60.0
"""Seconds for one call."""


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a backend: `got` is None where it has none, and `note` says why."""

    got: np.ndarray | None
    note: str = ""


def measured(function: Function, dtype: str, hosts: dict[str, Host], seed: int,
             per_bucket: int | None = None) -> Measurement:
    """Measure a function in an element type on backends.

    hosts:      the running backends, by name and version.
    per_bucket: numbers drawn in each bucket of float32 or float64, by default `PER_BUCKET`; of types of 16 bits all
                numbers are measured."""
    if dtype in PER_BUCKET:
        count = per_bucket or PER_BUCKET[dtype]
        x = drawn_inputs(dtype, lambda numbers: result_classes(_canonical(function, numbers)), seed, count)
        part = "binade" if dtype == "float32" else "eight binades"
        how = f"{count} of each {part} and sign, drawn with seed {seed}, and all near where results change class"
    else:
        x, how = all_inputs(dtype), "all"
    truth = Truth(x, function.definition(x), buckets_of(x), bucket_count(dtype))
    bounds = bounds_on(function.spec.operator, dtype)
    series = []
    for name, host in hosts.items():
        results = results_of(function, x, host)
        series.append(Series(name, results.note) if results.got is None else
                      truth.series(name, results.got, results.note, bounds))
    return Measurement(function.name, function.file, dtype, len(x), how, float(f"{truth.unsure:.2g}"),
                       plain_bounds(bounds), series)


def results_of(function: Function, x: np.ndarray, host: Host, exponents: np.ndarray | None = None) -> Results:
    """Run a backend on numbers, in calls of `AT_ONCE`."""
    asking, parts, note = Asking(host), [], ""
    for call in _calls(function, x, exponents):
        request = to_request(function.spec, call, function.spec.opset, TIME_LIMIT)
        outcome = host.run(request)
        undeclared = asking.undeclared(request)
        note = f"declared unsupported: {undeclared}" if undeclared else note
        got = answer_of(outcome, x.dtype, len(next(iter(call.inputs.values()))))
        if isinstance(got, str):
            return Results(None, got)
        parts.append(got)
    return Results(np.concatenate(parts), note)


def answer_of(outcome: Outcome, dtype: np.dtype, size: int) -> np.ndarray | str:
    """Return the results of a call, or in one line why there are none."""
    if not isinstance(outcome, Answered):
        words = in_words(outcome)
        return f"declared unsupported; {words}" if isinstance(outcome, Raised) and outcome.gap else words
    for got in outcome.outputs.values():
        if (got.dtype, got.shape) != (dtype, (size,)):
            return f"gave {got.dtype.name}{list(got.shape)}, not {dtype.name}[{size}]"
        return outcome.harm or got
    return "gave no output"


def _calls(function: Function, x: np.ndarray, exponents: np.ndarray | None) -> Iterator[Call]:
    for start in range(0, len(x), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        yield function.call(x[part], None if exponents is None else exponents[part])


def _canonical(function: Function, x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):  # signalling NaNs, overflow
        return np.asarray(next(iter(function.definition(x).canonical.values())))
