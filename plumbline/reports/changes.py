"""Changes between two records, and over a backend's versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from plumbline.reports.clauses import ClauseSummary, MatrixRow
from plumbline.reports.columns import Column, columns, versions
from plumbline.reports.words import count, in_sentence, joined, local_of, newest_first, unversioned
from plumbline.trial.record.header import ClauseKey
from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.record.lines import CaseLine, ResultKey
from plumbline.trial.record.recording import Record

FAULT_NAMES = {"rejects-valid": "refusals of valid calls", "unstable": "unstable answers"}
FAULTS = {verdict: FAULT_NAMES.get(verdict, verdict) for verdict in ACCUSES if verdict != "diverges"}
"""The verdicts that accuse without a clause, as plural nouns."""


WEIGHTS = {**dict.fromkeys(ACCUSES, 1), "crashes": 2, "hangs": 2, "harness-error": 3}
"""The severity of accusing verdicts; all others have none."""


class NotComparable(ValueError):
    """Two records that are not comparable; the message says why."""


@dataclass(frozen=True)
class Change:
    """A result that differs between two records."""

    old: CaseLine
    new: CaseLine

    @property
    def appeared(self) -> bool:
        """True if the verdict is graver, or another clause broken."""
        was, now = (WEIGHTS.get(line.verdict, 0) for line in (self.old, self.new))
        if was != now:
            return now > was
        return self.new.verdict == "diverges" and bool(set(self.new.clauses) - set(self.old.clauses))

    @property
    def is_lost(self) -> bool:
        """True if it conformed and accuses now."""
        return self.old.verdict == "conforms" and self.new.accuses

    @property
    def disappeared(self) -> bool:
        """True if the reverse change would be worse."""
        return not self.appeared and Change(self.new, self.old).appeared


@dataclass
class Comparison:
    """The differences of two records.

    only_old, only_new: results in one record alone; differences: why the records are not comparable as a whole.
    """

    old: Column
    new: Column
    compared: int
    changes: list[Change] = field(default_factory=list)
    only_old: list[ResultKey] = field(default_factory=list)
    only_new: list[ResultKey] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def appeared(self) -> list[Change]:
        """The results that got worse."""
        return [change for change in self.changes if change.appeared]

    @property
    def disappeared(self) -> list[Change]:
        """The results that got better."""
        return [change for change in self.changes if change.disappeared]

    @property
    def otherwise(self) -> list[Change]:
        """The results that changed, neither better nor worse."""
        return [change for change in self.changes if not change.appeared and not change.disappeared]


@dataclass(frozen=True)
class Transition:
    """Results with the same change under the same clauses."""

    was: str
    now: str
    specification: str
    clauses: tuple[str, ...]
    results: int
    cases: tuple[str, ...]


def transitions(changes: Iterable[Change]) -> list[Transition]:
    """Equal changes together; hand-written cases come first."""
    lines_of: dict[tuple[str, ...], list[CaseLine]] = {}
    for change in changes:
        clauses = dict.fromkeys([*change.old.clauses, *change.new.clauses])
        key = (unversioned(change.new.spec), _state(change.old), _state(change.new),
               *(local_of(address) for address in clauses))
        lines_of.setdefault(key, []).append(change.new)
    return [Transition(was, now, joined([line.spec for line in lines]), tuple(clauses), len(lines),
                       tuple(line.id for line in sorted({line.id: line for line in lines}.values(),
                                                           key=lambda line: line.generated)))
            for (_, was, now, *clauses), lines in lines_of.items()]


def _state(line: CaseLine) -> str:
    return f"{line.verdict} at {line.phase}" if line.phase else line.verdict


def compare(old: Record, new: Record, intersection: bool = False) -> Comparison:
    """Compare two records.

    Raises NotComparable if their digests differ, one is incomplete, or they contain different results; with
    `intersection` only if they have no result in common.
    """
    differences = _differences(old, new)
    before, after = _results(old), _results(new)
    comparison = Comparison(*_as_columns(old, new), len(before.keys() & after.keys()), differences=differences,
                       only_old=[key for key in before if key not in after],
                       only_new=[key for key in after if key not in before])
    missing = (f"results in {old.path} alone: {len(comparison.only_old)}, "
               f"in {new.path} alone: {len(comparison.only_new)}")
    problems = differences or ([missing] if comparison.only_old or comparison.only_new else [])
    if problems and not intersection:
        raise NotComparable("; ".join(problems))
    if not comparison.compared:
        raise NotComparable(f"{old.path} and {new.path} have no result in common")
    comparison.changes = changes(old, new)
    return comparison


def regressions(old: Record, new: Record) -> list[Change]:
    """The results that conformed and accuse now.

    Only results that both records tried alike count: under an equal specification, and generated cases only if all
    cases are equal, since another set of cases may give their ids to other calls.
    """
    same_cases = old.header.cases.digest == new.header.cases.digest
    before, after = ({name: entry.digest for name, entry in record.header.specifications.items()}
                     for record in (old, new))
    return [change for change in changes(old, new) if change.is_lost
            and before[change.old.spec] == after[change.new.spec]
            and (same_cases or not change.new.generated)]


def changes(old: Record, new: Record) -> list[Change]:
    """The results in both records that differ."""
    before, after = _results(old), _results(new)
    return [Change(before[key], after[key]) for key in before if key in after and differ(before[key], after[key])]


def differ(old: CaseLine, new: CaseLine) -> bool:
    """True if verdict, phase, clauses or recorded outputs differ."""
    if (old.verdict, old.phase, old.clauses) != (new.verdict, new.phase, new.clauses):
        return True
    return bool(old.got and new.got and old.got != new.got)


def _differences(old: Record, new: Record) -> list[str]:
    """Reasons why two records are not comparable."""
    reasons = [f"{record.path} is incomplete: {record.incomplete}" for record in (old, new) if not record.whole]
    reasons += [f"{record.path} is of a campaign, and contains few of its results" for record in (old, new)
              if record.is_campaign]
    if old.header.cases.digest != new.header.cases.digest:
        reasons.append(f"the cases differ (digest {old.header.cases.digest[:12]} and "
                       f"{new.header.cases.digest[:12]})")
    before, after = old.header.specifications, new.header.specifications
    for name in sorted({*before, *after}, key=newest_first):
        if name not in before or name not in after:
            reasons.append(f"{name} is in {(old if name in before else new).path} alone")
        elif before[name].digest != after[name].digest:
            reasons.append(f"the specification {name} differs (digest {before[name].digest[:12]} and "
                           f"{after[name].digest[:12]})")
    return reasons


def _results(record: Record) -> dict[ResultKey, CaseLine]:
    return {line.key: line for line in record.cases}


def _as_columns(old: Record, new: Record) -> tuple[Column, Column]:
    column_of = {id(column.record): column for column in columns([old, new])}
    return column_of[id(old)], column_of[id(new)]


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
    """The clauses whose status changed over versions, broken ones first."""
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
    """For each column the regressions since the version before."""
    lines: list[list[CaseLine]] = [[] for _ in shown]
    for numbers in versions(shown).values():
        for old, new in pairwise(numbers):
            lines[new] = [change.new for change in regressions(shown[old].record, shown[new].record)]
    return lines


def progress(shown: Sequence[Column], broken: Sequence[ClauseSummary]) -> list[tuple[str, str]]:
    """The change of each backend from first to last version.

    Pairs of sentences: clauses repaired, newly broken and still broken, with the faults; and the regressions, or "".
    """
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
