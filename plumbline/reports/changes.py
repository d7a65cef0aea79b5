"""Changes between two records, and over a backend's versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from plumbline.cases.format.withdrawn import current_id
from plumbline.reports.columns import Column, columns
from plumbline.reports.words import joined, local_of, newest_first, unversioned
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
    """Group equal changes; hand-written cases come first."""
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
    """Return the changes from one record to another.

    intersection: compare the results in both records, whatever else differs.

    Raises NotComparable if their digests differ, one is incomplete, or they contain different results; with
    `intersection` only if they have no result in common."""
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
    cases are equal, since another set of cases may give their ids to other calls."""
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
    """Return the lines by result; those of withdrawn cases under the ids of their replacements, if these have none."""
    lines = {line.key: line for line in record.cases}
    current = {key: key._replace(id=current_id(key.spec, key.id)) for key in lines}
    return {current[key]: line for key, line in lines.items() if current[key] == key or current[key] not in lines}


def _as_columns(old: Record, new: Record) -> tuple[Column, Column]:
    column_of = {id(column.record): column for column in columns([old, new])}
    return column_of[id(old)], column_of[id(new)]
