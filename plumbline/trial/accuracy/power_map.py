"""Measure the error of Pow over bases and exponents of float16.

There are 64 by 64 cells, each of one sign and binade of the base and of the exponent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plumbline.backends import Host
from plumbline.trial.accuracy.errors import Truth, short
from plumbline.trial.accuracy.functions import POWER, Function, functions_named
from plumbline.trial.accuracy.inputs import numbers_of
from plumbline.trial.accuracy.measure import results_of

DTYPE = "float16"
SIDE, LOW_BITS = 64, 10
"""Cells of a side, and the bits of a number below those of its cell: sign and exponent, as they are in memory."""

QUIET = 1 << (LOW_BITS - 1)
"""The bit of a NaN that does not signal."""

PER_CELL = 16


@dataclass(frozen=True)
class BackendMap:
    """The errors of one backend.

    note:  why there are none, or that the call is outside the declared capabilities.
    ulp:   by cell, base after base, the largest error; None where no pair has a real value in the range.
    wrong: by cell, how many results are a NaN, an infinity or a number where another of these is right.
    """

    backend: str
    note: str = ""
    ulp: tuple[float | None, ...] = ()
    wrong: tuple[int, ...] = ()


@dataclass(frozen=True)
class PowerMap:
    """The maps of some backends; `pairs` were tried, drawn with a seed."""

    pairs: int
    seed: int
    backends: tuple[BackendMap, ...]


def power_map(hosts: dict[str, Host], seed: int) -> PowerMap:
    """Measure backends on pairs of each cell: powers of two, whole powers of others, and numbers at random."""
    generator = np.random.default_rng(seed)
    cells = np.repeat(np.arange(SIDE * SIDE), PER_CELL)
    low = generator.integers(0, 1 << LOW_BITS, (2, SIDE * SIDE, PER_CELL))
    low[:, :, 0] = 0  # both are powers of two, or zero, or infinite
    low[1, :, 1:3] = 0  # the exponent is
    base, exponent = map(_numbers, divmod(cells, SIDE), low.reshape(2, -1))
    function = Function(functions_named([POWER])[0].spec)
    definition = function.spec.definition(function.call(base, exponent), function.spec.opset)
    truth = Truth(base, definition, cells, SIDE * SIDE)
    return PowerMap(len(cells), seed, tuple(_of(name, truth, function, base, exponent, host)
                                            for name, host in hosts.items()))


def _numbers(cells: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Return the numbers of cells. No NaN signals: the power of one by 0 may be NaN (IEEE 754-2019, 6.2 and 9.2.1)."""
    is_nan = (cells % (SIDE // 2) == SIDE // 2 - 1) & (low != 0)
    return numbers_of((cells << LOW_BITS) + np.where(is_nan, low | QUIET, low), DTYPE)


def _of(name: str, truth: Truth, function: Function, base: np.ndarray, exponent: np.ndarray, host: Host) -> BackendMap:
    results = results_of(function, base, host, exponent)
    if results.got is None:
        return BackendMap(name, results.note)
    errors = truth.errors(results.got)
    shape = (SIDE * SIDE, PER_CELL)
    largest = np.fmax.reduce(errors.ulp.reshape(shape), axis=1)
    wrong = errors.wrong.reshape(shape).sum(axis=1)
    return BackendMap(name, results.note, tuple(None if value != value else short(float(value)) for value in largest),
                      tuple(map(int, wrong)))
