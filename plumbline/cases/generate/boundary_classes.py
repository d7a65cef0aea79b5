"""Compute boundary classes of calls: the sides of clauses' inequalities.

Cases shall cover pairs of classes: two classes of different inequalities on one axis of a call, and two classes of one
inequality on two axes of a call, in either order. A pair is satisfiable if an axis within the bounds of the operator
definition (two axes, for the second kind) has it in some mode, and keeps every inequality that a clause requires.
Axes beyond the bounds are not searched: `tests/theorems` proves that they have no other pair.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from plumbline.oracle import Call, Inequality, Spec, load_spec

Mode = frozenset[str]
"""Native attributes that select a formula, such as NOTSET and floor."""

Axes = dict[str, np.ndarray]
"""An int array for each symbol."""


@dataclass(frozen=True)
class Class:
    """A side of an inequality of a clause (a local address): less than, equal, or greater."""

    clause: str
    inequality: Inequality
    sign: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.inequality.text} [{self.sign}]"


@dataclass(frozen=True)
class Pair:
    """Two classes, by their place in `classes_of`.

    across: whether the second is that of a later axis; both are of the same axis otherwise."""

    first: int
    second: int
    across: bool = False


@cache
def classes_of(spec_name: str) -> tuple[Class, ...]:
    """Return the classes of a specification, in the order of its clauses."""
    return tuple(Class(clause.local, inequality, sign) for clause in load_spec(spec_name).clauses.values()
                 for inequality in clause.boundary for sign in inequality.signs)


def modes_of(spec: Spec) -> tuple[Mode, ...]:
    """Return the modes of a specification."""
    return spec.definition.boundary_modes(spec.opset)


def symbols_of(spec: Spec) -> tuple[str, ...]:
    """Return the independent symbols of an axis, which are the same in every mode."""
    return tuple(spec.definition.bounds(spec.opset, modes_of(spec)[0]))


def axes_within(spec: Spec, mode: Mode) -> Axes:
    """Return every axis within the bounds of a mode, smallest numbers first."""
    bounds = spec.definition.bounds(spec.opset, mode)
    ranges = [np.arange(low, high + 1) for low, high in bounds.values()]
    grid = np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")])
    return _named(spec, grid[:, np.lexsort((*grid[::-1], grid.sum(axis=0)))].T)


def _named(spec: Spec, rows: np.ndarray) -> Axes:
    """Return the symbols of an int array (axes, symbols) by name, with the derived ones."""
    independent = dict(zip(symbols_of(spec), rows.T, strict=True))
    return {**independent, **spec.definition.derived(independent)}


def standing(classes: tuple[Class, ...], mode: Mode, axes: Axes) -> np.ndarray:
    """Return which axis belongs to which class in this mode: bool (axes, classes)."""
    count = len(next(iter(axes.values())))
    if not classes:
        return np.zeros((count, 0), dtype=bool)
    return np.stack([np.broadcast_to(of.inequality.holds(of.sign, axes), count) if of.inequality.applies(mode)
                     else np.zeros(count, dtype=bool) for of in classes], axis=1)


@cache
def candidates(spec_name: str, mode: Mode) -> tuple[np.ndarray, np.ndarray]:
    """Return the axes of a mode that keep every inequality, and their classes.

    They are int (axes, symbols), in the order of `symbols_of`, and bool (axes, classes)."""
    spec, classes = load_spec(spec_name), classes_of(spec_name)
    axes = axes_within(spec, mode)
    table = standing(classes, mode, axes)
    kept = np.ones(len(table), dtype=bool)
    for inequality in {of.inequality: None for of in classes if of.inequality.applies(mode)}:
        kept &= table[:, [place for place, of in enumerate(classes) if of.inequality is inequality]].any(axis=1)
    numbers = np.stack([axes[name] for name in symbols_of(spec)], axis=1)
    return numbers[kept], table[kept]


def pairs_within(classes: tuple[Class, ...], table: np.ndarray) -> set[Pair]:
    """Return the pairs that single axes have; `table` is bool (axes, classes)."""
    together = table.T.astype(np.int64) @ table.astype(np.int64)
    return {Pair(first, second) for first, second in np.argwhere(np.triu(together, 1)).tolist()
            if classes[first].inequality is not classes[second].inequality}


def pairs_across(classes: tuple[Class, ...], earlier: np.ndarray, later: np.ndarray) -> set[Pair]:
    """Return the pairs that calls have on two axes.

    Both tables are bool (calls, classes): the classes of one axis of each call, and those of a later axis."""
    together = earlier.T.astype(np.int64) @ later.astype(np.int64)
    return {Pair(first, second, across=True) for first, second in np.argwhere(together).tolist()
            if first != second and classes[first].inequality is classes[second].inequality}


@cache
def satisfiable(spec_name: str) -> frozenset[Pair]:
    """Return every satisfiable pair; none if no clause declares a boundary."""
    classes, pairs = classes_of(spec_name), set[Pair]()
    if not classes:
        return frozenset()
    for mode in modes_of(load_spec(spec_name)):
        table = candidates(spec_name, mode)[1]
        any_axis = np.asarray(table.any(axis=0, keepdims=True))
        pairs |= pairs_within(classes, table) | pairs_across(classes, any_axis, any_axis)
    return frozenset(pairs)


def covered(spec: Spec, calls: Iterable[Call]) -> set[Pair]:
    """Return the satisfiable pairs that some calls have; calls outside the domain have none."""
    if not classes_of(spec.name):
        return set()
    symbols = symbols_of(spec)
    rows: dict[Mode, list[list[int]]] = {}
    two_axes: dict[Mode, list[tuple[int, int]]] = {}  # the rows of two axes of a call
    for call in calls:
        judged = spec.judged(call)
        if judged.violations:
            continue
        axes = list(judged.definition.boundary_symbols())
        for mode in dict.fromkeys(mode for mode, _ in axes):
            of_mode = rows.setdefault(mode, [])
            own = [[numbers[symbol] for symbol in symbols] for axis_mode, numbers in axes if axis_mode == mode]
            two_axes.setdefault(mode, []).extend(combinations(range(len(of_mode), len(of_mode) + len(own)), 2))
            of_mode += own
    classes, pairs = classes_of(spec.name), set[Pair]()
    for mode, numbers in rows.items():
        table = standing(classes, mode, _named(spec, np.array(numbers)))
        earlier, later = np.array(two_axes[mode], dtype=int).reshape(-1, 2).T
        pairs |= pairs_within(classes, table) | pairs_across(classes, table[earlier], table[later])
    return pairs & satisfiable(spec.name)


def coverage(spec: Spec, pairs: set[Pair]) -> dict[str, tuple[int, int]]:
    """Count the pairs of each clause with a boundary, by address: among `pairs`, and satisfiable."""
    return {clause.address: (len(_about(spec, clause.local, pairs)),
                             len(_about(spec, clause.local, satisfiable(spec.name))))
            for clause in spec.clauses.values() if clause.boundary}


def _about(spec: Spec, local: str, pairs: Iterable[Pair]) -> list[Pair]:
    classes = classes_of(spec.name)
    return [pair for pair in pairs if local in (classes[pair.first].clause, classes[pair.second].clause)]
