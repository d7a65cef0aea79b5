"""Group results by root cause, so that one fault is one finding.

Wrong outputs are grouped by their symptoms (`trial.known.symptoms`), or, where they show none, by the broken clause;
refusals by their message, answers that change by operator. Then groups with one root cause are merged
(`trial.known.cause_merging`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from plumbline.trial.known.cause_merging import (
    Conforming,
    common_symptoms,
    conditions_of,
    locals_of,
    merged,
    name_of,
    operator_of,
)
from plumbline.trial.known.conditions import with_traits
from plumbline.trial.known.evidence import shows_most
from plumbline.trial.known.kernels import missing_kernels, table
from plumbline.trial.known.symptoms import GENERIC, OBSERVED
from plumbline.trial.record.judge import VerdictName
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Group:
    """Results with one root cause.

    text:     names of the specifications without versions, joined by commas.
    clauses:  by section and tag, the broken clauses that do not restate another, the most frequent first; () for
              refusals, crashes and hangs.
    features: the conditions of the group; () where there are none.
    lines:    lines of the record, the smallest call first.
    spared:   number of conforming results that have the conditions too.
    symptom:  a symptom of all wrong elements; "" where there is none, or where it may be by accident.
    looks:    the symptom by which the group is known again, however few its calls are.
    kernels:  for refusals because of missing kernels: operator, version, element types and results of each."""

    verdict: VerdictName
    text: str
    clauses: tuple[str, ...]
    features: tuple[str, ...]
    lines: tuple[CaseLine, ...]
    spared: int = 0
    symptom: str = ""
    looks: str = ""
    kernels: tuple[tuple[str, int, str, int], ...] = ()

    @property
    def known(self) -> int:
        """The number of results that a known divergence explains."""
        return sum(line.known is not None for line in self.lines)


def groups(record: Record) -> list[Group]:
    """Return groups of accusing results, new ones first."""
    conforming = Conforming(record)
    clusters: list[list[CaseLine]] = []
    missing = missing_kernels(record)
    refused = [line for lines in missing.values() for line in lines]
    grouped = {id(line) for line in refused}
    accusing = sorted((line for line in record.cases if line.accuses and id(line) not in grouped),
                      key=lambda line: line.verdict != "unstable")
    for lines in _by(accusing, _kind).values():
        clusters += _by_symptom(record, lines) if lines[0].verdict == "diverges" else [lines]
    result = [_group(record, lines, conforming) for lines in merged(clusters, conforming)]
    if refused:
        result.append(Group("rejects-valid", _texts(refused), (), (), tuple(sorted(refused, key=size_of)),
                            kernels=tuple(table(missing))))
    return sorted(result, key=lambda group: (group.known == len(group.lines), -len(group.lines)))


def _kind(line: CaseLine) -> tuple[str, str, str]:
    """Return verdict and message; of an unstable result the operator too, whose state changed.

    A result that no fresh process was asked about, since answers change (it has an `after`), is with those."""
    if line.after and line.verdict != "unstable":
        return "unstable", "", operator_of(line)
    return line.verdict, message(line), operator_of(line) if line.verdict == "unstable" else ""


def size_of(line: CaseLine) -> int:
    """Return the number of elements of the inputs, 0 without a call."""
    return line.call.size if line.call else 0


def _by_symptom(record: Record, lines: list[CaseLine]) -> Iterator[list[CaseLine]]:
    """Yield wrong outputs by symptom, those without one by broken clause.

    The most frequent symptom or clause comes first. A call with two faults is thus with one of them, and does not link
    them."""
    def named(line: CaseLine, names: Iterable[str]) -> list[str]:
        return [f"{operator_of(line)} {name}" for name in names]

    for symptom, part in _by_most(lines, lambda line: named(line, line.symptoms)):
        yield from [part] if symptom else (rest for _, rest in _by_most(
            part, lambda line: named(line, _broken(record, line))))


LESS = {"subnormal-inputs-as-zero": "subnormal-as-zero"}
"""Symptoms that say how an element became wrong, and those that say no more than what is seen of it: where both hold
for all wrong elements, inputs and outputs may be to blame alike."""


def _group(record: Record, lines: list[CaseLine], conforming: Conforming) -> Group:
    clauses = Counter(clause for line in lines for clause in _broken(record, line))
    around = conforming.of_specifications(lines)
    conditions, spared = with_traits(conditions_of(lines, conforming, around), lines, conforming.lines(lines))
    common, are_few = common_symptoms(lines), not shows_most(lines)

    def first(names: Collection[str], own_last: bool) -> str:
        return next(iter(sorted(filter(names.__contains__, lines[0].symptoms), key=lambda name: (
            name in GENERIC) != own_last or LESS.get(name, "") in names)), "")

    # what explains how elements became wrong may hold for few calls by accident
    certain = common & OBSERVED if are_few else common
    return Group(lines[0].verdict, _texts(lines), tuple(clause for clause, _ in clauses.most_common()), conditions,
                 tuple(sorted(lines, key=size_of)), spared, first(certain, are_few), first(common, False))


def _by(lines: Iterable[CaseLine], key_of: Callable[[CaseLine], Key]) -> dict[Key, list[CaseLine]]:
    """Return the lines by key."""
    by_key: dict[Key, list[CaseLine]] = {}
    for line in lines:
        by_key.setdefault(key_of(line), []).append(line)
    return by_key


def _by_most(lines: list[CaseLine], names_of: Callable[[CaseLine], Collection[str]]
             ) -> Iterator[tuple[str, list[CaseLine]]]:
    """Yield each line once, under the most frequent of its names.

    Names come by frequency among the lines that are left; lines without a name come last, under ""."""
    left = lines
    while left:
        counts = Counter(name for line in left for name in names_of(line))
        best = max(counts, key=counts.__getitem__, default="")
        yield best, [line for line in left if best in names_of(line) or not best]
        left = [line for line in left if best and best not in names_of(line)]


VARYING = re.compile(r"""'[^']*'|"[^"]*"|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|(?<!\w)['"].*$|0x[0-9a-f]+
                         |[-+]?\b(?:nan|inf|infinity)\b|[-+]?\d[\d.]*e[-+]?\d+|[-\d.]+""", re.IGNORECASE | re.VERBOSE)
"""Parts of a message that differ from call to call; a quotation may be cut off."""

OVERWRITTEN = re.compile(r"\b(input|output) \S+ (?:of the call before )?was overwritten")


def message(line: CaseLine) -> str:
    """Return the message of a refusal or crash, with clauses.

    What differs from call to call is left out: numbers, paths, quoted names. Of an unstable result it is which memory
    was overwritten or that a process ended: how answers change is an accident."""
    if line.verdict == "diverges":
        return ""
    if line.verdict == "unstable":
        ended = re.match(r"crashed|no answer within", line.did)
        return ended[0] if ended else " and ".join(sorted(set(OVERWRITTEN.findall(line.did))))
    text = VARYING.sub("#", line.did)
    return " ".join([*locals_of(line), line.phase or "", text[:120]])


def _broken(record: Record, line: CaseLine) -> list[str]:
    """Return the clauses that outputs break, without restatements."""
    if line.verdict != "diverges":
        return []
    clauses = record.header.specifications[line.spec].clauses
    return [clauses[address].key.local for address in line.clauses if not clauses[address].restates]


def _texts(lines: Iterable[CaseLine]) -> str:
    return ", ".join(sorted({name_of(line) for line in lines}))
