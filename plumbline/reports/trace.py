"""Trace clauses to cases and verdicts, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from plumbline.reports.clauses import MatrixRow, bearings
from plumbline.reports.columns import CaseRow, Column, Key
from plumbline.trial.record.lines import CaseLine

STATES = {"broken": "diverges", "refused": "refused", "kept": "conforms", "not tried": "not tried"}
"""The states of a clause on outputs, as a page names them, with the status of a column; the worst of all columns comes
first."""

NAMED = 12
"""Cases named in a group."""


@dataclass(frozen=True)
class Trace:
    """The bearing of a result on a clause (`clauses.bearings`)."""

    column: int
    line: CaseLine
    address: str
    bearing: str


@dataclass
class CaseGroup:
    """Cases with equal bearings on a clause in every column.

    A bearing is "" if nothing was judged.
    """

    bearings: tuple[str, ...]
    written: list[Key] = field(default_factory=list)
    generated: list[Key] = field(default_factory=list)

    def labels_by_bearing(self, shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
        """The bearings, each with the labels of its columns."""
        labels_of: dict[str, list[str]] = {}
        for bearing, column in zip(self.bearings, shown, strict=True):
            labels_of.setdefault(bearing, []).append(column.label)
        return list(labels_of.items())

    @property
    def named(self) -> list[Key]:
        """The first cases, hand-written before generated ones."""
        return (self.written + self.generated)[:NAMED]

    @property
    def count(self) -> int:
        """The number of cases."""
        return len(self.written) + len(self.generated)


@dataclass(frozen=True)
class StateSummary:
    """The clauses and cases of a specification by state."""

    specification: str
    clauses: dict[str, list[str]]
    cases: dict[str, list[Key]]


def traces(shown: Sequence[Column]) -> Iterator[Trace]:
    """Yield every bearing of every result."""
    for number, column in enumerate(shown):
        lines_of: dict[str, list[CaseLine]] = {}
        for line in column.record.cases:
            lines_of.setdefault(line.spec, []).append(line)
        for name, lines in lines_of.items():
            for line, address, bearing in bearings(column.record.header.specifications[name], lines):
                yield Trace(number, line, address, bearing)


def case_groups(every_trace: Iterable[Trace], width: int) -> dict[str, list[CaseGroup]]:
    """Return the cases of each clause grouped by bearing, divergences first.

    width: number of columns. The worst output selection of a case counts."""
    bearings_of: dict[str, dict[Key, list[str]]] = {}
    generated: dict[Key, bool] = {}
    for trace in every_trace:
        key = trace.line.spec, trace.line.id
        generated[key] = trace.line.generated
        row = bearings_of.setdefault(trace.address, {}).setdefault(key, [""] * width)
        if row[trace.column] in ("", "conforms", "refused"):
            row[trace.column] = trace.bearing
    groups_of: dict[str, list[CaseGroup]] = {}
    for address, rows in bearings_of.items():
        groups: dict[tuple[str, ...], CaseGroup] = {}
        for key, row in rows.items():
            group = groups.setdefault(tuple(row), CaseGroup(tuple(row)))
            (group.generated if generated[key] else group.written).append(key)
        groups_of[address] = sorted(groups.values(), key=lambda group: ("diverges" not in group.bearings, -group.count))
    return groups_of


def state_summaries(rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow]) -> list[StateSummary]:
    """The clauses and cases of each specification by state."""
    summaries = []
    for name, clauses in rows.items():
        judged = [row for row in clauses if row.clause.judges == "outputs"]
        own = {key: row for key, row in cases.items() if key[0] == name}
        summaries.append(StateSummary(
            name, {state: [row.address for row in judged if overall_state(row.statuses) == state] for state in STATES},
            {state: [key for key, row in own.items() if row.state == state] for state in (*STATES, "recorded")}))
    return summaries


def overall_state(statuses: Sequence[str]) -> str:
    """The worst state of a clause over all columns."""
    return next((state for state, status in STATES.items() if status in statuses), "not tried")


def results_by_flag(cases: Iterable[CaseRow], width: int) -> dict[str, tuple[int, list[Counter[str]]]]:
    """The number of cases of each flag, and verdicts per column."""
    results: dict[str, tuple[int, list[Counter[str]]]] = {}
    for row in cases:
        for flag in row.line.flags or ["none of these"]:
            count, counts = results.get(flag, (0, [Counter() for _ in range(width)]))
            for number, line in row.lines:
                counts[number][line.verdict] += 1
            results[flag] = count + 1, counts
    return dict(sorted(results.items(), key=lambda item: (item[0] == "none of these", item[0])))
