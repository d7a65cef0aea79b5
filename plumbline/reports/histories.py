"""Find changes of results over the versions of a backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from plumbline.reports.changes import FAULTS, Transition, changes, regressions, transitions
from plumbline.reports.clauses import ClauseSummary, MatrixRow
from plumbline.reports.columns import Column, versions
from plumbline.reports.words import count, in_sentence, joined
from plumbline.trial.record.header import ClauseKey
from plumbline.trial.record.lines import CaseLine

NAMED = 3
"""Versions up to which a span names all."""


@dataclass(frozen=True)
class Span:
    """Consecutive tried versions with the same status."""

    what: str
    versions: tuple[str, ...]

    @property
    def where(self) -> str:
        """The versions in words, shortened if there are many."""
        if len(self.versions) <= NAMED:
            return in_sentence(self.versions)
        return f"{self.versions[0]} to {self.versions[-1]} ({len(self.versions)} tried)"

    def __str__(self) -> str:
        return f"{self.what} in {self.where}"


@dataclass(frozen=True)
class History:
    """The status of a clause over a backend's versions."""

    backend: str
    addresses: tuple[str, ...]
    title: str
    statement: str
    spans: tuple[Span, ...]

    @property
    def address(self) -> str:
        """The address, versions merged: ``onnx/maxpool@10,11#Y.C2``."""
        return joined(self.addresses)


def spans(steps: Iterable[tuple[str, str]]) -> tuple[Span, ...]:
    """Spans from pairs of version and status, in this order."""
    return tuple(Span(what, tuple(version for version, _ in group))
                 for what, group in groupby(steps, key=lambda step: step[1]))


def histories(shown: Sequence[Column], rows: Iterable[MatrixRow]) -> list[History]:
    """Return the clauses whose status changed over versions, broken ones first.

    rows: the clauses, with a status for each of the records `shown`."""
    addresses_of: dict[tuple[str, ClauseKey, str, tuple[Span, ...]], list[str]] = {}
    for name, numbers in versions(shown).items():
        for row in rows:
            steps = [(shown[number].version, row.statuses[number]) for number in numbers
                     if row.statuses[number] != "absent"]
            if len({status for _, status in steps}) > 1 and not row.clause.restates:
                addresses_of.setdefault((name, row.clause.key, row.clause.title, spans(steps)),
                                        []).append(row.address)
    entries = [History(name, tuple(addresses), title, key.statement, over)
               for (name, key, title, over), addresses in addresses_of.items()]
    return sorted(entries, key=lambda entry: entry.spans[-1].what != "diverges")


def column_regressions(shown: Sequence[Column]) -> list[list[CaseLine]]:
    """The regressions of each column since the version before."""
    lines: list[list[CaseLine]] = [[] for _ in shown]
    for numbers in versions(shown).values():
        for old, new in pairwise(numbers):
            lines[new] = [change.new for change in regressions(shown[old].record, shown[new].record)]
    return lines


def progress(shown: Sequence[Column], broken: Sequence[ClauseSummary]) -> list[tuple[str, str]]:
    """The change of each backend from first to last version.

    Pairs of sentences: clauses repaired, newly broken and still broken, with the faults; and the regressions, or ""."""
    return [(f"From {shown[old].label} to {shown[new].short}: {_steps(broken, old, new)}.{_faults(shown, old, new)}",
             _regressed(shown, broken, old, new)) for old, *_, new in versions(shown).values()]


def _steps(broken: Sequence[ClauseSummary], old: int, new: int) -> str:
    steps = Counter((entry.states[old], entry.states[new]) for entry in broken)
    return (f"{count(steps['diverges', 'conforms'], 'clause')} repaired, {steps['conforms', 'diverges']} newly broken, "
            f"{steps['diverges', 'diverges']} broken in both")


def _faults(shown: Sequence[Column], old: int, new: int) -> str:
    counts = [shown[number].record.counts for number in (old, new)]
    faults = [f"{name} {counts[0][verdict]} then, {counts[1][verdict]} now" for verdict, name in FAULTS.items()
              if counts[0][verdict] or counts[1][verdict]]
    return f" {'; '.join(faults).capitalize()}." if faults else ""


def _regressed(shown: Sequence[Column], broken: Sequence[ClauseSummary], old: int, new: int) -> str:
    lines = [change.new for change in regressions(shown[old].record, shown[new].record)]
    if not lines:
        return ""
    addresses = {address for line in lines for address in line.clauses}
    named = [entry.address for entry in broken if addresses.intersection(entry.broken)]
    among = "among the lines kept " if shown[new].record.is_campaign else ""
    was, is_ = ("was", "is") if len(lines) == 1 else ("were", "are")
    where = f" ({', '.join(named)})" if named else ""
    return f"Worse: {among}{count(len(lines), 'result')} that {was} right {is_} wrong now{where}."


@dataclass(frozen=True)
class Step:
    """The changes from one version to the next.

    worse: results that conformed and accuse now; others: all other changes, worse ones first, better ones next.
    """

    old: str
    new: str
    worse: list[Transition]
    others: list[Transition]


def steps(shown: Sequence[Column]) -> list[Step]:
    """The steps between consecutive versions in which something changed."""
    changed_steps = []
    for old, new in (pair for numbers in versions(shown).values() for pair in pairwise(numbers)):
        changed = changes(shown[old].record, shown[new].record)
        worse = regressions(shown[old].record, shown[new].record)
        regressed = {id(change.new) for change in worse}
        others = sorted((change for change in changed if id(change.new) not in regressed),
                        key=lambda change: (not change.appeared, not change.disappeared))
        if changed:
            changed_steps.append(Step(shown[old].label, shown[new].short, transitions(worse), transitions(others)))
    return changed_steps
