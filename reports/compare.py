"""Two records, result by result: what appeared, what disappeared, what else changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from plumbline.reports.addresses import by_age, joined, parts
from plumbline.reports.findings import Line
from plumbline.reports.side_by_side import Column, columns, is_generated
from plumbline.trial.judge import ACCUSES
from plumbline.trial.record import Record

Key = tuple[str, str, str]
"""A result: specification, case, form."""

WEIGHTS = {"diverges": 1, "rejects-valid": 1, "crashes": 2, "hangs": 2, "harness-error": 3}
"""How grave verdicts are; the others accuse nobody and weigh nothing."""


class NotComparable(ValueError):
    """Two records that did not try the same; the text says which digests differ, or what is missing."""


@dataclass(frozen=True)
class Change:
    """A result that is not what it was."""

    old: Line
    new: Line

    @property
    def appeared(self) -> bool:
        """Whether the new record accuses, and the old one did not, or of less: a graver verdict, or more clauses."""
        was, now = (WEIGHTS.get(line["verdict"], 0) for line in (self.old, self.new))
        if was != now:
            return now > was
        return self.new["verdict"] == "diverges" and bool(set(self.new["clauses"]) - set(self.old["clauses"]))

    @property
    def is_lost(self) -> bool:
        """Whether it conformed and accuses now."""
        return self.old["verdict"] == "conforms" and self.new["verdict"] in ACCUSES

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
    only_old: list[Key] = field(default_factory=list)
    only_new: list[Key] = field(default_factory=list)
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
    found: dict[tuple[str, ...], list[Line]] = {}
    for change in changes:
        clauses = dict.fromkeys([*change.old["clauses"], *change.new["clauses"]])
        key = (parts(change.new["spec"])[0], _state(change.old), _state(change.new),
               *(parts(address)[2] for address in clauses))
        found.setdefault(key, []).append(change.new)
    return [Transition(was, now, joined([line["spec"] for line in lines]), tuple(clauses), len(lines),
                       tuple(line["id"] for line in sorted({line["id"]: line for line in lines}.values(),
                                                           key=is_generated)))
            for (_, was, now, *clauses), lines in found.items()]


def _state(line: Line) -> str:
    return f"{line['verdict']} at {line['phase']}" if line["phase"] else line["verdict"]


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
    same_cases = old.header["cases"]["digest"] == new.header["cases"]["digest"]
    before, after = ({name: text["digest"] for name, text in record.header["specifications"].items()}
                     for record in (old, new))
    return [change for change in changes(old, new) if change.is_lost
            and before[change.old["spec"]] == after[change.new["spec"]]
            and (same_cases or not is_generated(change.new))]


def changes(old: Record, new: Record) -> list[Change]:
    """The results that both hold and that differ."""
    before, after = _results(old), _results(new)
    return [Change(before[key], after[key]) for key in before if key in after and differ(before[key], after[key])]


def differ(old: Line, new: Line) -> bool:
    """Whether verdict, phase, clauses or, as far as both records hold them, the outputs are others."""
    if any(old[name] != new[name] for name in ("verdict", "phase", "clauses")):
        return True
    return "got" in old and "got" in new and old["got"] != new["got"]


def _differences(old: Record, new: Record) -> list[str]:
    """Which digests differ, which record is truncated, and which is of a campaign, that keeps few of its lines."""
    found = [f"{record.path} is truncated" for record in (old, new) if record.truncated]
    found += [f"{record.path} is of a campaign, and holds few of its results" for record in (old, new)
              if record.is_campaign]
    if old.header["cases"]["digest"] != new.header["cases"]["digest"]:
        found.append(f"the cases differ (digest {old.header['cases']['digest'][:12]} and "
                     f"{new.header['cases']['digest'][:12]})")
    before, after = old.header["specifications"], new.header["specifications"]
    for name in sorted({*before, *after}, key=by_age):
        if name not in before or name not in after:
            found.append(f"{name} is in {(old if name in before else new).path} alone")
        elif before[name]["digest"] != after[name]["digest"]:
            found.append(f"the text of {name} differs (digest {before[name]['digest'][:12]} and "
                         f"{after[name]['digest'][:12]})")
    return found


def _results(record: Record) -> dict[Key, Line]:
    return {(line["spec"], line["id"], line["form"]): line for line in record.cases}


def _named(old: Record, new: Record) -> Iterable[Column]:
    labels = {id(column.record): column for column in columns([old, new])}
    return labels[id(old)], labels[id(new)]
