"""Groups what a backend did, so that one cause is one finding: what accuses it, and what is observed where a text is
silent.

A cause of wrong outputs is what the wrong elements look like (`trial.symptoms`), or, where that is nothing known, the
clause that is broken. A cause of refusals is their message. It is told by conditions: what is true of all
its calls, was not true of calls that conform, and few of those share. Two of these are one cause where the same known
divergence explains them, or where the conditions that all of their calls share still tell them from what conforms.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from plumbline.trial.known.kernels import missing_kernels, table
from plumbline.trial.known.symptoms import GENERIC
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

CONDITIONS = 3
"""Conditions that tell a group, at most."""

FEW, MOST = 0.25, 0.75
"""Parts of the results that conform: two groups are one if what they share is true of few; a condition that is true of
most tells nothing."""

TINY = 1 / 16
"""Part of the results of one cause at which what tells others that break its clause is an accident."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, eq=False)
class Group:
    """Results of one cause.

    text:     the specifications without their versions, by name, with commas between them.
    clauses:  by section and tag the broken clauses that do not restate another, those broken most first; () for
              refusals, crashes and hangs. Of what is observed the clause that leaves it open.
    features: the conditions that tell the group; () where none do.
    lines:    of the record, the smallest call first.
    spared:   results that share the conditions and conform.
    symptom:  what all wrong elements look like; "" where that is nothing known.
    kernels:  of refusals for want of kernels operator, version, element types and results of each."""

    verdict: str
    text: str
    clauses: tuple[str, ...]
    features: tuple[str, ...]
    lines: tuple[CaseLine, ...]
    spared: int = 0
    symptom: str = ""
    kernels: tuple[tuple[str, int, str, int], ...] = ()

    @property
    def known(self) -> int:
        """How many of the results are known."""
        return sum(line.known is not None for line in self.lines)


def groups(record: Record) -> list[Group]:
    """What accuses the backend, in groups: those with something new first, then the largest."""
    conforming = _Conforming(record)
    clusters: list[list[CaseLine]] = []
    missing = missing_kernels(record)
    refused = [line for lines in missing.values() for line in lines]
    folded = {id(line) for line in refused}
    accusing = [line for line in record.cases if line.accuses and id(line) not in folded]
    for (verdict, _), lines in _by(accusing, lambda line: (line.verdict, message(line))):
        clusters += _by_looks(record, lines) if verdict == "diverges" else [lines]
    found = [_group(record, lines, conforming) for lines in _merged(clusters, conforming)]
    if refused:
        found.append(Group("rejects-valid", _texts(refused), (), (), tuple(sorted(refused, key=size_of)),
                           kernels=tuple(table(missing))))
    return sorted(found, key=lambda group: (group.known == len(group.lines), -len(group.lines)))


def size_of(line: CaseLine) -> int:
    """How many elements the inputs have; zero of a result that holds no call."""
    return line.call.size if line.call else 0


class _Conforming:
    """The conforming results, by specification."""

    def __init__(self, record: Record) -> None:
        self._features: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
        for line in record.cases:
            if line.verdict == "conforms":
                self._features.setdefault(line.spec, []).append((frozenset(line.covers), line.features))

    def beside(self, lines: Collection[CaseLine]) -> list[frozenset[str]]:
        """The features of those of the same specifications that try one of the clauses that are broken; of all where
        none does."""
        broken = {address for line in lines for address in line.clauses}
        return [features for covers, features in self._of(lines) if not broken.isdisjoint(covers)] or self.around(lines)

    def are_apart(self, one: Collection[CaseLine], other: Collection[CaseLine]) -> bool:
        """Whether none tries broken clauses of both."""
        mine, theirs = ({address for line in lines for address in line.clauses} for lines in (one, other))
        return not any(covers & mine and covers & theirs for covers, _ in self._of([*one, *other]))

    def around(self, lines: Iterable[CaseLine]) -> list[frozenset[str]]:
        """The features of all of the same specifications."""
        return [features for _, features in self._of(lines)]

    def _of(self, lines: Iterable[CaseLine]) -> list[tuple[frozenset[str], frozenset[str]]]:
        return [each for spec in {line.spec for line in lines} for each in self._features.get(spec, ())]

    def spared(self, lines: Collection[CaseLine]) -> int:
        """How many conform beside the lines that share all that these have in common."""
        wanted = _common(lines)
        return sum(wanted <= features for features in self.beside(lines))


def _by_looks(record: Record, lines: list[CaseLine]) -> Iterator[list[CaseLine]]:
    """Wrong outputs: by what they look like, the others by a clause that they break, the one that most break first. A
    call that shows two faults at once is thus with one of them, and links them to no single cause."""
    def named(line: CaseLine, names: Iterable[str]) -> list[str]:
        return [f"{_operator(line)} {name}" for name in names]

    for look, some in _by_most(lines, lambda line: named(line, line.symptoms)):
        yield from [some] if look else (alike for _, alike in _by_most(
            some, lambda line: named(line, _broken(record, line))))


def _merged(clusters: list[list[CaseLine]], conforming: _Conforming) -> list[list[CaseLine]]:
    """Clusters, those of one cause together; the smallest first, whose calls share most by accident."""
    left, done, apart = sorted(clusters, key=len), list[list[CaseLine]](), set[tuple[int, int]]()
    every = [*left]  # so that no two ever have one id
    while len(done) != len(left):
        done = left
        for one, other in combinations(left, 2):
            if (id(one), id(other)) in apart:
                continue
            if one[0].verdict == other[0].verdict and _is_one_cause(one, other, conforming):
                left = [cluster for cluster in left if cluster is not one and cluster is not other]
                left.append(one + other)
                every.append(left[-1])
                break
            apart.add((id(one), id(other)))
    return left


def _is_one_cause(one: list[CaseLine], other: list[CaseLine], conforming: _Conforming) -> bool:
    known = [{line.known.id if line.known else None for line in lines} for lines in (one, other)]
    if known[0] == known[1] and len(known[0]) == 1 and None not in known[0]:
        return True
    if None not in known[0] | known[1] and known[0].isdisjoint(known[1]):
        return False  # a person told them apart
    if one[0].verdict != "diverges":
        return False
    spared, beside = conforming.spared(one + other), len(conforming.beside(one + other))
    apart = conforming.spared(one) + conforming.spared(other)  # what is common to both is true of a few more
    if spared <= min(FEW * beside, len(one) + len(other), (1 + FEW) * apart):
        return True
    small, large = sorted([one, other], key=len)
    return known[0] == known[1] and _operator(one[0]) == _operator(other[0]) and (
        _is_part(small, large, conforming) or _is_part(large, small, conforming)
        or _is_one_rule(one, other, conforming))


def _is_part(one: list[CaseLine], other: list[CaseLine], conforming: _Conforming) -> bool:
    """Whether the first shows what the other shows, and no fault of its own: all that tells the other holds of its
    calls, and is true of few or tells the first as well; or nothing tells either. Where nothing tells the other, or
    what is true of twice as many that conform, it is the larger one and they break a clause in common. What all
    elements of the first look like is then an accident, as when wrong float64 values happen to be values of float32. So
    is what tells a first one that is far smaller, and breaks a clause in common or shows no symptom of its own."""
    around = conforming.around(other)
    conditions, own = (set(_telling(lines, conforming, conforming.around(lines))) for lines in (other, one))
    holds, spared = conditions <= _common(one), sum(conditions <= features for features in around)
    tiny = len(one) <= TINY * len(other)
    if len(one) <= len(other) and _rules(one) & _rules(other) and (holds or spared >= 2 * len(other) or tiny):
        return True
    if tiny and holds and not _looks(one):
        return True
    if not conditions and not own:
        return not _looks(one) and not _looks(other)
    few = spared <= FEW * len(around)
    return bool(conditions) and holds and (few or conditions == own)


def _is_one_rule(one: list[CaseLine], other: list[CaseLine], conforming: _Conforming) -> bool:
    """Whether no call tries clauses of both, as with those on padding that is given and on padding that is computed,
    and what all of their calls share tells each from what conforms beside it about as well as its own conditions do."""
    shared = _common(one + other)

    def tells(lines: list[CaseLine]) -> bool:
        beside = conforming.beside(lines)
        own = frozenset(_telling(lines, conforming, beside))
        return sum(shared <= features for features in beside) <= 2 * sum(own <= features for features in beside)
    return not _looks(one) | _looks(other) and conforming.are_apart(one, other) and tells(one) and tells(other)


def _looks(lines: Iterable[CaseLine]) -> frozenset[str]:
    """What all of them look like."""
    return frozenset.intersection(*(frozenset(line.symptoms) for line in lines))


def _rules(lines: Iterable[CaseLine]) -> set[str]:
    """The broken clauses, whatever kind of element type they are stated for; all that are about a shape are one."""
    found = {".".join(local.split(".")[-2:]) for line in lines for local in _locals(line)}
    return found | {"shape" for line in lines if _has_another_shape(line)}


def _has_another_shape(line: CaseLine) -> bool:
    return any(name in (line.expected or {}) and tensor.shape != (line.expected or {})[name].shape
               for name, tensor in (line.got or {}).items())


def _group(record: Record, lines: list[CaseLine], conforming: _Conforming) -> Group:
    clauses = [clause for clause, _ in Counter(one for line in lines for one in _broken(record, line)).most_common()]
    around = conforming.around(lines)
    conditions = _telling(lines, conforming, around)
    spared = sum(set(conditions) <= features for features in around) if conditions else 0
    looks = sorted(filter(_looks(lines).__contains__, lines[0].symptoms), key=lambda name: name in GENERIC)
    return Group(lines[0].verdict, _texts(lines), tuple(clauses), conditions, tuple(sorted(lines, key=size_of)),
                 spared, next(iter(looks), ""))


def _telling(lines: list[CaseLine], conforming: _Conforming, beside: list[frozenset[str]]) -> tuple[str, ...]:
    """Of what all calls have in common the few conditions that rule out most of what conforms beside them; a condition
    that rules out none, or but a few of many, tells nothing."""
    if lines[0].clauses and lines[0].verdict != "diverges":
        return ()  # outside the domain, where nothing conforms
    around, chosen = conforming.around(lines), list[str]()
    common = set(_common(lines))
    while common and beside and len(chosen) < CONDITIONS:
        best = min(sorted(common), key=lambda name: (sum(name in features for features in beside),
                                                     sum(name in features for features in around)))
        left = [features for features in beside if best in features]
        if len(left) > MOST * len(beside):
            break
        chosen.append(best)
        common.remove(best)
        beside = left
    return tuple(sorted(chosen))


def _common(lines: Iterable[CaseLine]) -> frozenset[str]:
    return frozenset.intersection(*{line.features for line in lines})


def _by(things: Iterable[Thing], key: Callable[[Thing], Hashable]) -> list[tuple[Hashable, list[Thing]]]:
    found: dict[Hashable, list[Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return list(found.items())


def _by_most(things: list[Thing], names_of: Callable[[Thing], Collection[str]]) -> Iterator[tuple[str, list[Thing]]]:
    """Names with the things that have them, each once: the name that most have first; in the end, under "", the things
    without one."""
    left = things
    while left:
        counts = Counter(name for thing in left for name in names_of(thing))
        best = max(counts, key=counts.__getitem__, default="")
        yield best, [thing for thing in left if best in names_of(thing) or not best]
        left = [thing for thing in left if best and best not in names_of(thing)]


def message(line: CaseLine) -> str:
    """What a refusal or a crash says, without what differs from call to call: numbers, paths, quoted names; and the
    clauses that the call breaks."""
    if line.verdict == "diverges":
        return ""
    said = re.sub(r"'[^']*'|\"[^\"]*\"|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|0x[0-9a-f]+|[-\d.]+", "#", line.did)
    return " ".join([*_locals(line), line.phase or "", said[:120]])


def _locals(line: CaseLine) -> list[str]:
    """The clauses of a line by section and tag, each once."""
    return list(dict.fromkeys(address.partition("#")[2] for address in line.clauses))


def _broken(record: Record, line: CaseLine) -> list[str]:
    """The clauses that outputs break, by section and tag, without restatements."""
    if line.verdict != "diverges":
        return []
    clauses = record.header.specifications[line.spec].clauses
    return [clauses[address].key.local for address in line.clauses if not clauses[address].restates]


def _text(line: CaseLine) -> str:
    return line.spec.partition("@")[0]


def _texts(lines: Iterable[CaseLine]) -> str:
    return ", ".join(sorted({_text(line) for line in lines}))


def _operator(line: CaseLine) -> str:
    """As texts are named: the part after the family."""
    return _text(line).rpartition("/")[2]
