"""What changed: between two records, result by result, and from version to version of one backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from plumbline.reports.clauses import MatrixRow, Stated
from plumbline.reports.columns import Column, columns, versions
from plumbline.reports.words import by_age, count, joined, listed, parts
from plumbline.trial.record.header import ClauseKey
from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.record.lines import CaseLine, ResultKey
from plumbline.trial.record.recording import Record

FAULT_NAMES = {"rejects-valid": "refusals of valid calls", "unstable": "unstable answers"}
FAULTS = {verdict: FAULT_NAMES.get(verdict, verdict) for verdict in ACCUSES if verdict != "diverges"}
"""The verdicts that accuse without a clause, as one counts them."""


WEIGHTS = {**dict.fromkeys(ACCUSES, 1), "crashes": 2, "hangs": 2, "harness-error": 3}
"""How grave verdicts are; the others accuse nobody and weigh nothing."""


class NotComparable(ValueError):
    """Two records that did not try the same; the text says which digests differ, or what is missing."""


@dataclass(frozen=True)
class Change:
    """A result that is not what it was."""

    old: CaseLine
    new: CaseLine

    @property
    def appeared(self) -> bool:
        """Whether the new record accuses, and the old one did not, or of less: a graver verdict, or more clauses."""
        was, now = (WEIGHTS.get(line.verdict, 0) for line in (self.old, self.new))
        if was != now:
            return now > was
        return self.new.verdict == "diverges" and bool(set(self.new.clauses) - set(self.old.clauses))

    @property
    def is_lost(self) -> bool:
        """Whether it conformed and accuses now."""
        return self.old.verdict == "conforms" and self.new.accuses

    @property
    def disappeared(self) -> bool:
        """The same the other way round."""
        return not self.appeared and Change(self.new, self.old).appeared


@dataclass
class Comparison:
    """Everything that differs. `only_old` and `only_new` are results of one record alone."""

    old: Column
    new: Column
    compared: int
    changes: list[Change] = field(default_factory=list)
    only_old: list[ResultKey] = field(default_factory=list)
    only_new: list[ResultKey] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def appeared(self) -> list[Change]:
        """What got worse."""
        return [change for change in self.changes if change.appeared]

    @property
    def disappeared(self) -> list[Change]:
        """What got better."""
        return [change for change in self.changes if change.disappeared]

    @property
    def otherwise(self) -> list[Change]:
        """What is another, and neither better nor worse."""
        return [change for change in self.changes if not change.appeared and not change.disappeared]


@dataclass(frozen=True)
class Transition:
    """Results that went the same way under the same clauses, in every version of a text in which they did."""

    was: str
    now: str
    specification: str
    clauses: tuple[str, ...]
    results: int
    cases: tuple[str, ...]


def transitions(changes: Iterable[Change]) -> list[Transition]:
    """Changes put together; of the cases the written ones come first."""
    found: dict[tuple[str, ...], list[CaseLine]] = {}
    for change in changes:
        clauses = dict.fromkeys([*change.old.clauses, *change.new.clauses])
        key = (parts(change.new.spec)[0], _state(change.old), _state(change.new),
               *(parts(address)[2] for address in clauses))
        found.setdefault(key, []).append(change.new)
    return [Transition(was, now, joined([line.spec for line in lines]), tuple(clauses), len(lines),
                       tuple(line.id for line in sorted({line.id: line for line in lines}.values(),
                                                           key=lambda line: line.generated)))
            for (_, was, now, *clauses), lines in found.items()]


def _state(line: CaseLine) -> str:
    return f"{line.verdict} at {line.phase}" if line.phase else line.verdict


def compare(old: Record, new: Record, intersection: bool = False) -> Comparison:
    """The differences of two records. Raises NotComparable where their digests differ, one is truncated, or they hold
    different results; with `intersection` what both hold is compared all the same."""
    differences = _differences(old, new)
    before, after = _results(old), _results(new)
    found = Comparison(*_named(old, new), len(before.keys() & after.keys()), differences=differences,
                       only_old=[key for key in before if key not in after],
                       only_new=[key for key in after if key not in before])
    missing = f"results in {old.path} alone: {len(found.only_old)}, in {new.path} alone: {len(found.only_new)}"
    problems = differences or ([missing] if found.only_old or found.only_new else [])
    if problems and not intersection:
        raise NotComparable("; ".join(problems))
    if not found.compared:
        raise NotComparable(f"{old.path} and {new.path} have no result in common")
    found.changes = changes(old, new)
    return found


def lost(old: Record, new: Record) -> list[Change]:
    """The results that conformed and accuse now, as far as both records tried the same: under a text that is the same,
    and generated cases only where all cases are, since another run may give their ids to other calls."""
    same_cases = old.header.cases.digest == new.header.cases.digest
    before, after = ({name: text.digest for name, text in record.header.specifications.items()}
                     for record in (old, new))
    return [change for change in changes(old, new) if change.is_lost
            and before[change.old.spec] == after[change.new.spec]
            and (same_cases or not change.new.generated)]


def changes(old: Record, new: Record) -> list[Change]:
    """The results that both hold and that differ."""
    before, after = _results(old), _results(new)
    return [Change(before[key], after[key]) for key in before if key in after and differ(before[key], after[key])]


def differ(old: CaseLine, new: CaseLine) -> bool:
    """Whether verdict, phase, clauses or, as far as both records hold them, the outputs are others."""
    if (old.verdict, old.phase, old.clauses) != (new.verdict, new.phase, new.clauses):
        return True
    return bool(old.got and new.got and old.got != new.got)


def _differences(old: Record, new: Record) -> list[str]:
    """Which digests differ, which record is incomplete, and which is of a campaign, that keeps few of its lines."""
    found = [f"{record.path} is incomplete: {record.incomplete}" for record in (old, new) if not record.whole]
    found += [f"{record.path} is of a campaign, and holds few of its results" for record in (old, new)
              if record.is_campaign]
    if old.header.cases.digest != new.header.cases.digest:
        found.append(f"the cases differ (digest {old.header.cases.digest[:12]} and "
                     f"{new.header.cases.digest[:12]})")
    before, after = old.header.specifications, new.header.specifications
    for name in sorted({*before, *after}, key=by_age):
        if name not in before or name not in after:
            found.append(f"{name} is in {(old if name in before else new).path} alone")
        elif before[name].digest != after[name].digest:
            found.append(f"the text of {name} differs (digest {before[name].digest[:12]} and "
                         f"{after[name].digest[:12]})")
    return found


def _results(record: Record) -> dict[ResultKey, CaseLine]:
    return {line.key: line for line in record.cases}


def _named(old: Record, new: Record) -> tuple[Column, Column]:
    labels = {id(column.record): column for column in columns([old, new])}
    return labels[id(old)], labels[id(new)]


NAMED = 3
"""Versions of a span that are all named."""


@dataclass(frozen=True)
class Span:
    """Versions of which the same is true, neighbours among those tried."""

    what: str
    versions: tuple[str, ...]

    @property
    def where(self) -> str:
        """The versions; of many the first and the last, and how many were tried."""
        if len(self.versions) <= NAMED:
            return listed(self.versions)
        return f"{self.versions[0]} to {self.versions[-1]} ({len(self.versions)} tried)"

    def __str__(self) -> str:
        return f"{self.what} in {self.where}"


@dataclass(frozen=True)
class History:
    """A clause, in each version of a text that shares it, and what one backend did about it over its own versions."""

    backend: str
    addresses: tuple[str, ...]
    title: str
    statement: str
    spans: tuple[Span, ...]

    @property
    def address(self) -> str:
        """The clause, as ``onnx/maxpool@10,11#Y.C2`` where versions share it."""
        return joined(self.addresses)


def spans(steps: Iterable[tuple[str, str]]) -> tuple[Span, ...]:
    """Spans of (version, what is true of it), in the order given."""
    return tuple(Span(what, tuple(version for version, _ in group))
                 for what, group in groupby(steps, key=lambda step: step[1]))


def histories(shown: Sequence[Column], rows: Iterable[MatrixRow]) -> list[History]:
    """The clauses whose status changed between versions of one backend; those that came to diverge last come first."""
    found: dict[tuple[str, ClauseKey, str, tuple[Span, ...]], list[str]] = {}
    for name, numbers in versions(shown).items():
        for row in rows:
            steps = [(shown[number].version, row.statuses[number]) for number in numbers
                     if row.statuses[number] != "absent"]
            if len({status for _, status in steps}) > 1 and not row.clause.restates:
                found.setdefault((name, row.clause.key, row.clause.title, spans(steps)), []).append(row.address)
    listed = [History(name, tuple(addresses), title, key.statement, over)
              for (name, key, title, over), addresses in found.items()]
    return sorted(listed, key=lambda entry: entry.spans[-1].what != "diverges")


def losses(shown: Sequence[Column]) -> list[list[CaseLine]]:
    """For each column the results that conformed in the version of the same backend before it, and accuse here."""
    found: list[list[CaseLine]] = [[] for _ in shown]
    for numbers in versions(shown).values():
        for old, new in pairwise(numbers):
            found[new] = [change.new for change in lost(shown[old].record, shown[new].record)]
    return found


def progress(shown: Sequence[Column], broken: Sequence[Stated]) -> list[tuple[str, str]]:
    """For each backend in several versions, from the first to the last: (how many clauses are repaired, newly broken,
    and broken still, and how often it refused, crashed or hung; what was right and is wrong now, or "")."""
    return [(f"From {shown[old].label} to {shown[new].short}: {_steps(broken, old, new)}.{_faults(shown, old, new)}",
             _worse(shown, broken, old, new)) for old, *_, new in versions(shown).values()]


def _steps(broken: Sequence[Stated], old: int, new: int) -> str:
    steps = Counter((entry.states[old], entry.states[new]) for entry in broken)
    return (f"{count(steps['diverges', 'conforms'], 'clause')} repaired, {steps['conforms', 'diverges']} newly broken, "
            f"{steps['diverges', 'diverges']} broken in both")


def _faults(shown: Sequence[Column], old: int, new: int) -> str:
    counts = [shown[number].record.counts for number in (old, new)]
    said = [f"{name} {counts[0][verdict]} then, {counts[1][verdict]} now" for verdict, name in FAULTS.items()
            if counts[0][verdict] or counts[1][verdict]]
    return f" {'; '.join(said).capitalize()}." if said else ""


def _worse(shown: Sequence[Column], broken: Sequence[Stated], old: int, new: int) -> str:
    lines = [change.new for change in lost(shown[old].record, shown[new].record)]
    if not lines:
        return ""
    addresses = {address for line in lines for address in line.clauses}
    named = [entry.address for entry in broken if addresses.intersection(entry.broken)]
    among = "among the lines kept " if shown[new].record.is_campaign else ""
    was, is_ = ("was", "is") if len(lines) == 1 else ("were", "are")
    where = f" ({', '.join(named)})" if named else ""
    return f"Worse: {among}{count(len(lines), 'result')} that {was} right {is_} wrong now{where}."


def steps(shown: Sequence[Column]) -> list[tuple[str, str, list[Transition], list[Transition]]]:
    """(one version, the next one of the same backend, the results that conformed and accuse now, the others that went
    another way: what accuses more first, then what accuses less)."""
    found = []
    for old, new in (pair for numbers in versions(shown).values() for pair in pairwise(numbers)):
        changed = changes(shown[old].record, shown[new].record)
        worse = lost(shown[old].record, shown[new].record)
        seen = {id(change.new) for change in worse}
        others = sorted((change for change in changed if id(change.new) not in seen),
                        key=lambda change: (not change.appeared, not change.disappeared))
        if changed:
            found.append((shown[old].label, shown[new].short, transitions(worse), transitions(others)))
    return found
