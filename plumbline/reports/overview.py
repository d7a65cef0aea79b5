"""List operators by family, with states of clauses and judged results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from plumbline.oracle.specification import family_of
from plumbline.reports.clauses import MatrixRow, summarise_clauses
from plumbline.reports.columns import Column
from plumbline.reports.findings import Finding
from plumbline.reports.words import anchor, unversioned

STATES = {"kept": "conforms", "broken": "diverges", "refused": "refused", "undefined": "observed"}
"""The states that are shown, with the `status` of a clause."""

REFUSALS = ("rejects-valid", "crashes", "hangs", "unstable")

OTHERS = "Other operators"
"""The family of operators whose specification is not installed."""


@dataclass
class Cell:
    """An operator in one record.

    clauses: clauses by state; results: results by verdict; links: the fragment that each state leads to.
    """

    clauses: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    new: int = 0
    known: int = 0
    links: dict[str, str] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """Results whose outputs were judged."""
        return self.results["conforms"] + self.results["diverges"]

    @property
    def not_judged(self) -> int:
        """Results without a judgement on outputs."""
        return self.results.total() - self.judged


class Row(NamedTuple):
    """An operator under one specification.

    page: the address of its page, "" for this page; cells: None for a record without it.
    """

    name: str
    operator: str
    profile: str
    page: str
    cells: tuple[Cell | None, ...]


def cells(shown: Sequence[Column], rows: Mapping[str, Sequence[MatrixRow]],
          causes: Iterable[Finding]) -> dict[str, dict[str, Cell]]:
    """Return the cells by specification without version, and by column label.

    rows:   by specification, its clauses with a result for each of the records `shown`.
    causes: root causes, which the cells link to."""
    parts: dict[str, list[MatrixRow]] = {}
    for name, part in rows.items():
        parts.setdefault(unversioned(name), []).extend(part)
    made: dict[str, dict[str, Cell]] = {}
    for name, part in parts.items():
        summaries = summarise_clauses(part, [[] for _ in shown])
        for number, column in enumerate(shown):
            if any(row.cells[number] for row in part):
                made.setdefault(name, {})[column.label] = Cell(Counter(
                    state for state, status in STATES.items() for entry in summaries
                    if entry.states[number] == status and (entry.is_judged or entry.clause.kind == "unspecified")))
    _count_results(shown, made)
    _link(made, causes)
    return made


def families(shown: Sequence[Column], made: Mapping[str, Mapping[str, Cell]],
             pages: Mapping[str, str]) -> dict[str, list[Row]]:
    """The rows of each family, the largest family first.

    pages: addresses of the pages of operators by specification; {} if all are on this page."""
    operators = {unversioned(name): entry.operator for column in shown
                 for name, entry in column.record.header.specifications.items()}
    by_family: dict[str, list[Row]] = {}
    for name, of_columns in made.items():
        by_family.setdefault(family_of(name) or OTHERS, []).append(Row(
            name, operators[name], name.partition("/")[0], pages.get(name, ""),
            tuple(of_columns.get(column.label) for column in shown)))
    ordered = sorted(by_family.items(), key=lambda item: (item[0] == OTHERS, -len(item[1]), item[0]))
    return {family: sorted(rows, key=lambda row: (row.operator, row.profile != "onnx", row.name))
            for family, rows in ordered}


def _count_results(shown: Sequence[Column], made: Mapping[str, Mapping[str, Cell]]) -> None:
    """Add the results of the records; those of a campaign only if it is about one specification."""
    for column in shown:
        if column.record.is_campaign:
            names = {unversioned(name) for name in column.record.header.specifications}
            if len(names) == 1:
                made[names.pop()][column.label].results.update(column.record.counts)
            continue
        for line in column.record.cases:
            cell = made[unversioned(line.spec)][column.label]
            cell.results[line.verdict] += 1
            if line.accuses:
                cell.new += line.known is None
                cell.known += line.known is not None


def _link(made: Mapping[str, Mapping[str, Cell]], causes: Iterable[Finding]) -> None:
    """Add where each state leads: to the first root cause, the clauses, or what is undefined."""
    for name, of_columns in made.items():
        for cell in of_columns.values():
            cell.links = {"kept": f"spec-{anchor(name)}", "broken": "findings", "refused": "findings",
                          "undefined": "silences"}
    for finding in causes:
        state = "broken" if finding.verdict == "diverges" else "refused" if finding.verdict in REFUSALS else ""
        for label, line in finding.results:
            links = made.get(unversioned(line.spec), {}).get(label, Cell(links={state: ""})).links
            if links.get(state) == "findings":
                links[state] = finding.id


def widest(rows_of: Mapping[str, Sequence[Row]]) -> int:
    """The largest number of clauses in a cell, at least 1."""
    return max([1, *(cell.clauses.total() for rows in rows_of.values() for row in rows for cell in row.cells if cell)])
