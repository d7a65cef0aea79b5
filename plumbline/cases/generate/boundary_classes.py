"""Boundary classes: on which side of the inequalities of its clauses a call lies, axis by axis.

What is to be covered are pairs of classes: two classes of different inequalities on one axis of a call, and two classes
of one inequality on two axes of a call, in either order. A pair is satisfiable when an axis within the bounds that the
definition of the operator gives (two, for the second kind) has it in some mode, and every inequality that demands
something is kept. Beyond the bounds nothing is looked for: that no axis of any size has another pair is proved in
`tests/theorems`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from plumbline.oracle import Call, Inequality, Spec, load_spec

Mode = frozenset[str]
"""Words of a call, such as NOTSET and floor."""

Axes = dict[str, np.ndarray]
"""An int array for each symbol."""


@dataclass(frozen=True)
class Class:
    """One side of an inequality of a clause (a local address): less than, equal, or greater."""

    clause: str
    inequality: Inequality
    sign: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.inequality.text} [{self.sign}]"


@dataclass(frozen=True)
class Pair:
    """Two classes, by their place in `classes_of`; on one axis, or on one axis and a later one."""

    one: int
    other: int
    across: bool = False


@cache
def classes_of(spec_name: str) -> tuple[Class, ...]:
    """The classes of a specification, in the order of the text."""
    return tuple(Class(clause.local, inequality, sign) for clause in load_spec(spec_name).clauses.values()
                 for inequality in clause.boundary for sign in inequality.signs)


def modes_of(spec: Spec) -> tuple[Mode, ...]:
    """The modes that a specification has."""
    return spec.definition.boundary_modes(spec.opset)


def symbols_of(spec: Spec) -> tuple[str, ...]:
    """The symbols that an axis has a number for, those computed from others aside; the same in every mode."""
    return tuple(spec.definition.bounds(spec.opset, modes_of(spec)[0]))


def axes_within(spec: Spec, mode: Mode) -> Axes:
    """Every axis within the bounds of a mode, the smallest numbers first."""
    bounds = spec.definition.bounds(spec.opset, mode)
    ranges = [np.arange(low, high + 1) for low, high in bounds.values()]
    grid = np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")])
    return _named(spec, grid[:, np.lexsort((*grid[::-1], grid.sum(axis=0)))].T)


def _named(spec: Spec, rows: np.ndarray) -> Axes:
    """Of an int array (axes, symbols)."""
    found = dict(zip(symbols_of(spec), rows.T, strict=True))
    return {**found, **spec.definition.derived(found)}


def standing(classes: tuple[Class, ...], mode: Mode, axes: Axes) -> np.ndarray:
    """bool (axes, classes): which axis of a call in this mode is of which class."""
    count = len(next(iter(axes.values())))
    if not classes:
        return np.zeros((count, 0), dtype=bool)
    return np.stack([np.broadcast_to(of.inequality.holds(of.sign, axes), count) if of.inequality.applies(mode)
                     else np.zeros(count, dtype=bool) for of in classes], axis=1)


@cache
def candidates(spec_name: str, mode: Mode) -> tuple[np.ndarray, np.ndarray]:
    """The axes of a mode that keep every inequality: int (axes, symbols) in the order of `symbols_of`, and their
    standing."""
    spec, classes = load_spec(spec_name), classes_of(spec_name)
    axes = axes_within(spec, mode)
    table = standing(classes, mode, axes)
    kept = np.ones(len(table), dtype=bool)
    for inequality in {of.inequality: None for of in classes if of.inequality.applies(mode)}:
        kept &= table[:, [place for place, of in enumerate(classes) if of.inequality is inequality]].any(axis=1)
    numbers = np.stack([axes[name] for name in symbols_of(spec)], axis=1)
    return numbers[kept], table[kept]


def pairs_within(classes: tuple[Class, ...], table: np.ndarray) -> set[Pair]:
    """The pairs that single axes have."""
    together = table.T.astype(np.int64) @ table.astype(np.int64)
    return {Pair(one, other) for one, other in np.argwhere(np.triu(together, 1)).tolist()
            if classes[one].inequality is not classes[other].inequality}


def pairs_across(classes: tuple[Class, ...], first: np.ndarray, second: np.ndarray) -> set[Pair]:
    """The pairs that calls have, of each of which `first` has the standing of one axis and `second` that of a later."""
    together = first.T.astype(np.int64) @ second.astype(np.int64)
    return {Pair(one, other, across=True) for one, other in np.argwhere(together).tolist()
            if one != other and classes[one].inequality is classes[other].inequality}


@cache
def satisfiable(spec_name: str) -> frozenset[Pair]:
    """Every pair that can be had; none where no clause declares a boundary."""
    classes, found = classes_of(spec_name), set()
    if not classes:
        return frozenset()
    for mode in modes_of(load_spec(spec_name)):
        table = candidates(spec_name, mode)[1]
        any_axis = table.any(axis=0, keepdims=True)
        found |= pairs_within(classes, table) | pairs_across(classes, any_axis, any_axis)
    return frozenset(found)


def covered(spec: Spec, calls: Iterable[Call]) -> set[Pair]:
    """The satisfiable pairs that some calls have; one outside the domain has none."""
    if not classes_of(spec.name):
        return set()
    symbols = symbols_of(spec)
    rows: dict[Mode, list[list[int]]] = {}
    later: dict[Mode, list[tuple[int, int]]] = {}
    for call in calls:
        judged = spec.judged(call)
        if judged.violations:
            continue
        axes = list(judged.definition.boundary_symbols())
        for mode in dict.fromkeys(mode for mode, _ in axes):
            begun = rows.setdefault(mode, [])
            mine = [[numbers[symbol] for symbol in symbols] for of, numbers in axes if of == mode]
            later.setdefault(mode, []).extend(combinations(range(len(begun), len(begun) + len(mine)), 2))
            begun += mine
    classes, found = classes_of(spec.name), set()
    for mode, numbers in rows.items():
        table = standing(classes, mode, _named(spec, np.array(numbers)))
        first, second = np.array(later[mode], dtype=int).reshape(-1, 2).T
        found |= pairs_within(classes, table) | pairs_across(classes, table[first], table[second])
    return found & satisfiable(spec.name)


def coverage(spec: Spec, found: set[Pair]) -> dict[str, tuple[int, int]]:
    """For each clause with a boundary, by full address, the pairs that it has a part in: found, and satisfiable."""
    return {clause.address: (len(_about(spec, clause.local, found)),
                             len(_about(spec, clause.local, satisfiable(spec.name))))
            for clause in spec.clauses.values() if clause.boundary}


def _about(spec: Spec, local: str, pairs: Iterable[Pair]) -> list[Pair]:
    classes = classes_of(spec.name)
    return [pair for pair in pairs if local in (classes[pair.one].clause, classes[pair.other].clause)]
