"""Groups what a backend did, so that one cause is one finding: what accuses it, and what is observed where a text is
silent.

Results that accuse are alike when they have the verdict and the first broken clause in common within a family of
texts, and the same features tell them; and groups of them are of one cause when all that is wrong in them looks the
same (`trial.symptoms`), whatever clauses and texts it breaks. The features of a result are its flags (`cases.flags`),
element type and form, and the operator where there are several. Every failing result of a group has the features of
the group, and no conforming result of the same specifications should: a group is told by those features that most
failing and fewest conforming results have. A fault that some calls survive by chance leaves a few of these, which are
counted. Results that are observed are of one cause when the same clause leaves them open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any, TypeVar

from plumbline.trial.judge import ACCUSES
from plumbline.trial.record import Record

TOGETHER = 3
"""Features that tell a group, at most."""

WORTH = 2
"""Conforming results that have the features may be so many for each failing one: a fault often shows in few windows."""

Line = dict[str, Any]
Thing = TypeVar("Thing")


@dataclass(frozen=True, eq=False)
class Group:
    """Results of one cause.

    text:     the specifications without their versions, by name, with commas between them.
    clauses:  by local address the broken clauses that are no restatement, those broken most first; () for refusals,
              crashes and hangs. Of what is observed the clause that leaves it open.
    features: those that tell the group; () where none do.
    lines:    of the record, the smallest call first.
    spared:   results that have the features and conform.
    symptom:  what all wrong elements look like; "" where that is nothing known."""

    verdict: str
    text: str
    clauses: tuple[str, ...]
    features: tuple[str, ...]
    lines: tuple[Line, ...]
    spared: int = 0
    symptom: str = ""

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
            alike.setdefault((line["verdict"], _text(line).partition("/")[0], first), []).append(line)
    told: dict[tuple[str, str, tuple[str, ...]], list[Line]] = {}
    parts: list[tuple[tuple[str, ...], list[Line]]] = []
    for (verdict, family, _), lines in alike.items():
        for features, some in _split(lines, _conforming(record, lines)):
            if features:
                told.setdefault((verdict, family, features), []).extend(some)
            else:
                parts.append(((), some))
    parts += [(features, lines) for (_, _, features), lines in told.items()]
    found = [_together(record, symptom, some) for symptom, some in _by_most(parts, lambda part: _symptoms(part[1]))
             if symptom]
    found += [_group(record, lines, features) for features, lines in parts if not _symptoms(lines)]
    return sorted(found, key=lambda group: -len(group.lines))


def _symptoms(lines: list[Line]) -> list[str]:
    """Those that all lines show, the most telling first."""
    return [name for name in lines[0].get("symptoms", ()) if all(name in line.get("symptoms", ()) for line in lines)]


def _together(record: Record, symptom: str, parts: Collection[tuple[tuple[str, ...], list[Line]]]) -> Group:
    """One group of several that look alike; what told one of them tells it, else what all lines share."""
    lines = [line for _, some in parts for line in some]
    told = {features for features, _ in parts}
    return _group(record, lines, told.pop() if len(told) == 1 else _shared(lines, _conforming(record, lines)), symptom)


def observations(record: Record) -> list[Group]:
    """What the backend did where a text leaves it open, by the clause that does, the largest group first."""
    families: dict[str, list[Line]] = {}
    for line in record.cases:
        if line["verdict"] == "observed":
            families.setdefault(_text(line).partition("/")[0], []).append(line)
    found = []
    for lines in families.values():
        for clause, some in _by_most(lines, _locals):
            found.append(Group("observed", _texts(some), (clause,) if clause else (), (),
                               tuple(sorted(some, key=lambda line: (len(line["clauses"]), size_of(line))))))
    return sorted(found, key=lambda group: -len(group.lines))


def features_of(line: Line) -> frozenset[str]:
    """The features of a result."""
    return frozenset([*line["flags"], line["dtype"], f"[{line['form']}]"])


def size_of(line: Line) -> int:
    """How many elements the inputs have of a result that holds its call."""
    return sum(prod(tensor["shape"]) for tensor in line["call"]["inputs"].values())


def _by_most(things: list[Thing], names_of: Callable[[Thing], Collection[str]]) -> Iterator[tuple[str, list[Thing]]]:
    """Names with the things that have them, each once: the name that most have first; in the end, under "", the things
    without one."""
    left = things
    while left:
        counts = Counter(name for thing in left for name in names_of(thing))
        best = max(counts, key=counts.__getitem__, default="")
        yield best, [thing for thing in left if best in names_of(thing) or not best]
        left = [thing for thing in left if best and best not in names_of(thing)]


def _locals(line: Line) -> list[str]:
    """The clauses of a line by local address, each once."""
    return list(dict.fromkeys(address.partition("#")[2] for address in line["clauses"]))


def _conforming(record: Record, lines: Iterable[Line]) -> list[Line]:
    """The conforming results of the specifications that some lines are about."""
    names = {line["spec"] for line in lines}
    return [line for line in record.cases if line["verdict"] == "conforms" and line["spec"] in names]


def _shared(lines: list[Line], conforming: list[Line]) -> tuple[str, ...]:
    """Of the features that all lines have the few that fewest conforming results have; () where there are none."""
    having = _places(conforming)
    common = sorted(frozenset.intersection(*map(features_of, lines)))
    return min(_choices(common), key=lambda chosen: _all(having, chosen, len(conforming)).bit_count(), default=())


def _split(lines: list[Line], conforming: list[Line]) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
    """Features with the lines that they tell, those that tell most first; in the end the lines that none tell."""
    failing, having = _places(lines), _places(conforming)
    for operator in {_operator(line) for line in lines} if len({*map(_operator, conforming)}) > 1 else ():
        failing[operator], having[operator] = (
            sum(1 << place for place, line in enumerate(some) if _operator(line) == operator)
            for some in (lines, conforming))
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


def _group(record: Record, lines: list[Line], features: tuple[str, ...], symptom: str = "") -> Group:
    clauses = [clause for clause, _ in Counter(one for line in lines for one in _broken(record, line)).most_common()]
    spared = sum(_has(line, features) for line in _conforming(record, lines)) if features else 0
    return Group(lines[0]["verdict"], _texts(lines), tuple(clauses), features, tuple(sorted(lines, key=size_of)),
                 spared, symptom)


def _has(line: Line, features: Iterable[str]) -> bool:
    return {*features_of(line), _operator(line)}.issuperset(features)


def _broken(record: Record, line: Line) -> list[str]:
    """The clauses that outputs break, by local address, without restatements."""
    if line["verdict"] != "diverges":
        return []
    clauses = record.header["specifications"][line["spec"]]["clauses"]
    return [address.partition("#")[2] for address in line["clauses"] if not clauses[address]["restates"]]


def _text(line: Line) -> str:
    return line["spec"].partition("@")[0]


def _texts(lines: Iterable[Line]) -> str:
    return ", ".join(sorted({_text(line) for line in lines}))


def _operator(line: Line) -> str:
    """As texts are named: maxpool."""
    return _text(line).rpartition("/")[2]


