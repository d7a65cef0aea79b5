"""Groups what accuses a backend, so that one cause is one finding: by verdict and broken clauses, and by features.

The features of a result are its flags (`cases.flags`), element type and form. Every failing result of a group has the
features of the group, and no conforming result of the same specifications should: a group is told by those features
that most failing and fewest conforming results have. A fault that some calls survive by chance leaves a few of these,
which are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

from trial.judge import ACCUSES
from trial.record import Record

TOGETHER = 3
"""Features that tell a group, at most."""

WORTH = 2
"""Conforming results that have the features may be so many for each failing one: a fault often shows in few windows."""

Line = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Group:
    """Results that fail alike.

    text:     the specification without its version.
    clauses:  the broken clauses that are no restatement, by local address; () for refusals, crashes and hangs.
    features: those that tell the group; () where none do.
    lines:    of the record, the smallest call first.
    spared:   results that have the features and conform."""

    verdict: str
    text: str
    clauses: tuple[str, ...]
    features: tuple[str, ...]
    lines: tuple[Line, ...]
    spared: int = 0

    @property
    def known(self) -> int:
        """How many of the results are known."""
        return sum("known" in line for line in self.lines)


def groups(record: Record) -> list[Group]:
    """What accuses the backend, in groups, the largest first."""
    alike: dict[tuple[str, str, str], list[Line]] = {}
    for line in record.cases:
        if line["verdict"] in ACCUSES:
            first = next(iter(_broken(record, line)), "")
            alike.setdefault((line["verdict"], _text(line), first), []).append(line)
    told: dict[tuple[str, str, tuple[str, ...]], list[Line]] = {}
    found: list[Group] = []
    for (verdict, text, _), lines in alike.items():
        for features, some in _split(lines, _conforming(record, lines)):
            if features:
                told.setdefault((verdict, text, features), []).extend(some)
            else:
                found.append(_group(record, verdict, text, (), some))
    found += [_group(record, *key, lines) for key, lines in told.items()]
    return sorted(found, key=lambda group: -len(group.lines))


def features_of(line: Line) -> frozenset[str]:
    """The features of a result."""
    return frozenset([*line["flags"], line["dtype"], f"[{line['form']}]"])


def _conforming(record: Record, lines: Iterable[Line]) -> list[Line]:
    """The conforming results of the specifications that some lines are about."""
    names = {line["spec"] for line in lines}
    return [line for line in record.cases if line["verdict"] == "conforms" and line["spec"] in names]


def _split(lines: list[Line], conforming: list[Line]) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
    """Features with the lines that they tell, those that tell most first; in the end the lines that none tell."""
    failing, having = _places(lines), _places(conforming)
    left = (1 << len(lines)) - 1
    while left:
        best, told, most = (), left, 0
        for features in _choices(sorted(failing)):
            covered = left & _all(failing, features, len(lines))
            score = WORTH * covered.bit_count() - _all(having, features, len(conforming)).bit_count()
            if score > most:
                best, told, most = features, covered, score
        yield best, [line for place, line in enumerate(lines) if told >> place & 1]
        left &= ~told


def _choices(features: list[str]) -> Iterator[tuple[str, ...]]:
    """Few features before many."""
    for number in range(1, TOGETHER + 1):
        yield from combinations(features, number)


def _places(lines: Iterable[Line]) -> dict[str, int]:
    """For each feature the lines that have it, as the bits of a number."""
    found: dict[str, int] = {}
    for place, line in enumerate(lines):
        for feature in features_of(line):
            found[feature] = found.get(feature, 0) | 1 << place
    return found


def _all(places: dict[str, int], features: Iterable[str], count: int) -> int:
    """The lines, of `count`, that have all the features."""
    found = (1 << count) - 1
    for feature in features:
        found &= places.get(feature, 0)
    return found


def _group(record: Record, verdict: str, text: str, features: tuple[str, ...], lines: list[Line]) -> Group:
    clauses = dict.fromkeys(clause for line in lines for clause in _broken(record, line))
    spared = sum(features_of(line).issuperset(features) for line in _conforming(record, lines)) if features else 0
    return Group(verdict, text, tuple(clauses), features, tuple(sorted(lines, key=_size)), spared)


def _broken(record: Record, line: Line) -> list[str]:
    """The clauses that outputs break, by local address, without restatements."""
    if line["verdict"] != "diverges":
        return []
    clauses = record.header["specifications"][line["spec"]]["clauses"]
    return [address.partition("#")[2] for address in line["clauses"] if not clauses[address]["restates"]]


def _text(line: Line) -> str:
    return line["spec"].partition("@")[0]


def _size(line: Line) -> int:
    """The number of elements of X."""
    return prod(line["call"]["inputs"]["X"]["shape"])
