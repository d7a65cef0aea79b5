"""Add traits of calls to the conditions of a root cause.

A trait is added if all calls of the root cause share it and few conforming calls do; what else might explain that is no
condition (`trial.known.evidence`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache

import numpy as np

from plumbline.cases.onnx.contexts import flag
from plumbline.trial.known.evidence import supported
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.traits import HELD

TRAITS = 2
"""Most traits of a root cause."""

MOST = 0.75
"""Share of the conforming calls that a trait leaves at most, unless most calls that have it are wrong."""

LEAST = 0.9
"""Share of the conforming calls that a trait leaves at most, whatever is wrong."""

NEARLY = 0.02
"""Share of the conforming calls by which a trait may tell less than the best and be preferred, since it holds for more
calls."""

TOLD = 0.05
"""Share of the conforming calls that may have the conditions of a cause which needs no more of them."""

EXAMINED = 4096
"""Conforming calls, spread over all, among which conditions are chosen."""

PLAIN = 1.2
"""Factor by which a cause without one of its conditions may spare more conforming calls, and is told without it."""


def with_traits(flags: tuple[str, ...], lines: Sequence[CaseLine], around: Sequence[CaseLine], is_told: bool = True
                ) -> tuple[tuple[str, ...], int]:
    """Return the conditions of a root cause, and how many conforming calls have them.

    flags:   conditions found before; traits only tell among calls that have these.
    lines:   results of the root cause, at least one.
    around:  conforming results under the same specifications.
    is_told: whether only those are asked for that the calls are evidence of."""
    sample = around[::-(-len(around) // EXAMINED) or 1]
    having = list(filter(holds(flags), sample))
    if lines[0].clauses and lines[0].verdict != "diverges":
        return (), 0  # outside the domain, where nothing conforms
    has_traits = all(line.traits for line in lines)
    names = dict.fromkeys(trait for line in [*sample, *lines] for trait in line.traits) if has_traits else {}
    lacking = map(absent, filter(GIVEN.match, names))
    shared = [trait for trait in [*lines[0].traits, *lacking] if has_traits and all(map(holds([trait]), lines))]
    chosen, left = list[str](), having
    while shared and len(chosen) < TRAITS and not _tell([*flags, *chosen], left, lines, sample):
        counts = {trait: _spared([trait], left) for trait in shared}
        best = min(counts.values())
        if best == len(left):
            break
        trait = next(trait for trait in shared if counts[trait] <= min(best + NEARLY * len(left), len(left) - 1))
        rate = (counts[trait] + 1) / (len(left) + 2)
        if rate > LEAST or rate > MOST and counts[trait] > len(lines):
            break
        chosen.append(trait)
        left = list(filter(holds([trait]), left))
    shared += frozenset.intersection(*(line.features - set(line.unread) for line in lines))
    every = len(names) + len(frozenset[str]().union(*(line.features for line in [*sample, *lines])))

    @cache
    def mask(name: str) -> np.ndarray:
        return np.fromiter(map(holds([name]), sample), bool, len(sample))

    told = _pruned([*flags, *chosen], sample)
    if is_told:
        told = [*dict.fromkeys([*supported(told, shared, every, lines, mask), *_proved(told, lines, around)])]
    conditions = _of_any_input(told, lines)
    return tuple(conditions), _spared(conditions, around) if conditions else 0


def _proved(conditions: Sequence[str], lines: Sequence[CaseLine], around: Sequence[CaseLine]) -> list[str]:
    """Return the contexts among the conditions if each call conforms outside them, which is no accident."""
    contexts = [name for name in conditions if name.startswith(flag(""))]
    alone = {(line.spec, line.id) for line in around if not line.context} if contexts else set()
    return contexts if all((line.spec, line.base_id) in alone for line in lines) else []


def _tell(conditions: Sequence[str], left: Sequence[CaseLine], lines: Sequence[CaseLine], around: Sequence[CaseLine]
          ) -> bool:
    """Return True if conditions need no more: most calls that have them are wrong, or few others do (`left`)."""
    return not left or bool(conditions) and len(left) <= max(len(lines), TOLD * len(around))


def _pruned(conditions: list[str], around: Sequence[CaseLine]) -> list[str]:
    """Return the conditions without those that others make needless."""
    for name in list(conditions):
        others = [other for other in conditions if other != name]
        if others and _spared(others, around) <= PLAIN * _spared(conditions, around):
            conditions = others
    return conditions


def _of_any_input(conditions: list[str], lines: Sequence[CaseLine]) -> list[str]:
    """Return conditions of which none says which input holds a value where several inputs hold it in all calls."""
    common = frozenset.intersection(*(line.features - set(line.unread) for line in lines))
    of_inputs = Counter(name.partition("-in-")[0] for name in common)
    return list(dict.fromkeys(f"an input holds {HELD[value]}" if (value := name.partition("-in-")[0]) in HELD
                              and of_inputs[value] > 1 else name for name in conditions))


def _spared(conditions: Sequence[str], around: Sequence[CaseLine]) -> int:
    return sum(map(holds(conditions), around))


def holds(conditions: Collection[str]) -> Callable[[CaseLine], bool]:
    """Return whether a line has all conditions, flags or traits."""
    flags = {name for name in conditions if " " not in name}  # traits are phrases, and take time
    traits = [name for name in conditions if name not in flags]
    return lambda line: flags <= line.features and all(name in line.traits or (
        name.startswith(NOT_GIVEN) and bool(line.traits) and given(name) not in line.traits) for name in traits)


GIVEN, NOT_GIVEN = re.compile(r"the call has \w+$"), "the call has no "
"""Traits about an input or attribute; of calls without it."""


def absent(trait: str) -> str:
    """Return the trait of calls without an input or attribute."""
    return trait.replace("has ", "has no ", 1)


def given(trait: str) -> str:
    """Return the trait of calls with an input or attribute that others lack."""
    return trait.replace("has no ", "has ", 1)
