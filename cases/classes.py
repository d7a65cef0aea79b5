"""Boundary classes: on which side of the inequalities of its clauses a call lies, axis by axis.

What is to be covered are pairs of classes: two classes of different inequalities on one axis of a call, and two classes
of one inequality on two axes of a call, in either order. A pair is satisfiable when an axis within `BOUND` (two, for
the second kind) has it in some mode, and every inequality that demands something is kept. Beyond the bound nothing is
looked for: that no axis of any size has another pair is proved in `tests/theorems`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from plumbline.oracle import Call, Inequality, OutsideDomain, Spec, load_spec

BOUND = {"in": (1, 8), "k": (1, 3), "s": (1, 4), "d": (0, 2), "b": (0, 3), "e": (0, 3)}
"""Smallest and largest value of each symbol."""

Words = frozenset[str]
Axis = tuple[int, ...]
"""A number for each symbol of BOUND."""

Axes = dict[str, np.ndarray]
"""An int array for each symbol."""

MODES = {
    "sonnx": (("NOTSET", "floor"),),
    "onnx": (("NOTSET", "floor"), ("NOTSET", "ceil"), ("VALID", "floor"), ("SAME_UPPER", "floor"),
             ("SAME_LOWER", "floor")),
    "openvino": (("explicit", "floor"), ("explicit", "ceil"), ("explicit", "ceil_torch"), ("valid", "floor"),
                 ("same_upper", "floor"), ("same_lower", "floor")),
}
MODES["ms.nhwc"] = MODES["onnx"]
"""The words of each family for how a call pads and rounds, as far as classes are looked for in them."""

EXPLICIT = ("NOTSET", "explicit")


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


def modes_of(spec: Spec) -> list[Words]:
    """The modes that a specification has."""
    found = [frozenset(words) for words in MODES[spec.name.partition("/")[0]]]
    late = {"ceil": 10, "ceil_torch": 14}
    return [words for words in found
            if spec.domain is None and "ceil_torch" not in words or all(spec.opset >= late.get(word, 1)
                                                                        for word in words)]


def has_dilations(spec: Spec) -> bool:
    """Whether a text has dilations."""
    return any(clause.local == "dilations.C1" for clause in spec.clauses.values())


@cache
def axes_of(dilated: bool, explicit: bool) -> Axes:
    """Every axis within the bound, the smallest numbers first; undilated and unpadded ones alone where so wanted."""
    fixed = {**({} if dilated else {"d": (1, 1)}), **({} if explicit else {"b": (0, 0), "e": (0, 0)})}
    ranges = [np.arange(low, high + 1) for low, high in {**BOUND, **fixed}.values()]
    grid = np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")])
    grid = grid[:, np.lexsort((*grid[::-1], grid.sum(axis=0)))]
    return _symbols(grid.T)


def standing(classes: tuple[Class, ...], words: Words, axes: Axes) -> np.ndarray:
    """bool (axes, classes): which axis of a call in this mode is of which class."""
    count = len(axes["in"])
    if not classes:
        return np.zeros((count, 0), dtype=bool)
    return np.stack([np.broadcast_to(of.inequality.holds(of.sign, axes), count) if of.inequality.applies(words)
                     else np.zeros(count, dtype=bool) for of in classes], axis=1)


@cache
def candidates(spec_name: str, words: Words) -> tuple[np.ndarray, np.ndarray]:
    """The axes of a mode that keep every inequality: int (axes, symbols) in the order of BOUND, and their standing."""
    spec, classes = load_spec(spec_name), classes_of(spec_name)
    axes = axes_of(has_dilations(spec), not words.isdisjoint(EXPLICIT))
    table = standing(classes, words, axes)
    kept = np.ones(len(table), dtype=bool)
    for inequality in {of.inequality: None for of in classes if of.inequality.applies(words)}:
        kept &= table[:, [place for place, of in enumerate(classes) if of.inequality is inequality]].any(axis=1)
    numbers = np.stack([axes[name] for name in BOUND], axis=1)
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
    for words in modes_of(load_spec(spec_name)):
        table = candidates(spec_name, words)[1]
        any_axis = table.any(axis=0, keepdims=True)
        found |= pairs_within(classes, table) | pairs_across(classes, any_axis, any_axis)
    return frozenset(found)


def covered(spec: Spec, calls: Iterable[Call]) -> set[Pair]:
    """The satisfiable pairs that some calls have; one outside the domain has none."""
    if not classes_of(spec.name):
        return set()
    rows: dict[Words, list[Axis]] = {}
    later: dict[Words, list[tuple[int, int]]] = {}
    for call in calls:
        try:
            sides = list(spec.judged(call).sides)
        except OutsideDomain:
            continue
        words = sides[0][0]
        begun = rows.setdefault(words, [])
        places = range(len(begun), len(begun) + len(sides))
        begun += [tuple(symbols[name] for name in BOUND) for _, symbols in sides]
        later.setdefault(words, []).extend(combinations(places, 2))
    classes, found = classes_of(spec.name), set()
    for words, axes in rows.items():
        table = standing(classes, words, _symbols(np.array(axes)))
        first, second = np.array(later[words], dtype=int).reshape(-1, 2).T
        found |= pairs_within(classes, table) | pairs_across(classes, table[first], table[second])
    return found & satisfiable(spec.name)


def _symbols(axes: np.ndarray) -> Axes:
    """Of an int array (axes, symbols) in the order of BOUND."""
    found = dict(zip(BOUND, axes.T, strict=True))
    return {**found, "ke": found["d"] * (found["k"] - 1) + 1}


def coverage(spec: Spec, found: set[Pair]) -> dict[str, tuple[int, int]]:
    """For each clause with a boundary, by full address, the pairs that it has a part in: found, and satisfiable."""
    return {clause.address: (len(_about(spec, clause.local, found)),
                             len(_about(spec, clause.local, satisfiable(spec.name))))
            for clause in spec.clauses.values() if clause.boundary}


def _about(spec: Spec, local: str, pairs: Iterable[Pair]) -> list[Pair]:
    classes = classes_of(spec.name)
    return [pair for pair in pairs if local in (classes[pair.one].clause, classes[pair.other].clause)]


def unsatisfiable(spec: Spec) -> Iterator[Pair]:
    """The other pairs of classes that some mode has both of."""
    classes, modes = classes_of(spec.name), modes_of(spec)
    for one, first in enumerate(classes):
        for other, second in enumerate(classes):
            alike = first.inequality is second.inequality
            pair = Pair(one, other, alike)
            if (one < other or alike and one != other) and pair not in satisfiable(spec.name) and any(
                    first.inequality.applies(words) and second.inequality.applies(words) for words in modes):
                yield pair
