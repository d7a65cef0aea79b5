"""The index of a run over many operators: the result, every cause with the page that shows it, and each operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import Column, case_rows, columns, unlike
from plumbline.reports.evidence import evidence_rows, notices
from plumbline.reports.findings import Finding, examples, findings, where
from plumbline.reports.text import headline
from plumbline.reports.words import parts, texts
from plumbline.trial.groups import groups
from plumbline.trial.record import ResultKey
from plumbline.trial.recording import Record

Places = Mapping[ResultKey, str]
"""For a result the id of the place on its operator's page that shows it."""


@dataclass(frozen=True)
class Cell:
    """What one backend did about one operator: results by verdict, and how many accuse it, new and known."""

    counts: Counter[str]
    new: int
    known: int

    @property
    def tone(self) -> str:
        """The word that decides its colour: "broken", "kept" or "not tried"."""
        return "broken" if self.new or self.known else "kept" if self.counts["conforms"] else "not tried"


@dataclass(frozen=True)
class OperatorRow:
    """An operator, its versions, the address of its page, and a cell for each column."""

    name: str
    specifications: list[str]
    page: str
    cells: list[Cell]


def index_content(records: Sequence[Record], pages: Mapping[str, tuple[str, Places]]) -> dict[str, Any]:
    """What the template of the index shows; `pages` has the address of each operator's page, and its places."""
    shown = columns(records)
    cases, clauses = case_rows(shown), clauses_of(shown)
    listed = findings(shown, cases, clauses)
    names = {name for column in shown for name in column.record.header.specifications}
    return {
        "columns": shown, "where": partial(where, shown=shown),
        "headlines": [(column.label, headline(column.record, len(groups(column.record)))) for column in shown],
        "texts": texts(sorted(names)), "notices": [*unlike(shown), *notices(shown)],
        "findings": listed, "examples": examples(listed, shown),
        "links": {finding.id: _link(finding, pages) for finding in listed},
        "operators": [OperatorRow(name, sorted(one for one in names if parts(one)[0] == name), page,
                                  [_cell(column, name) for column in shown])
                      for name, (page, _) in pages.items()],
        "evidence": evidence_rows(shown)}


def _cell(column: Column, name: str) -> Cell:
    lines = [line for line in column.record.cases if parts(line.spec)[0] == name]
    wrong = [line for line in lines if line.accuses]
    known = sum(line.known is not None for line in wrong)
    return Cell(Counter(line.verdict for line in lines), len(wrong) - known, known)


def _link(finding: Finding, pages: Mapping[str, tuple[str, Places]]) -> str:
    """Where the smallest call of a finding is shown, or else its operator's page."""
    line = finding.smallest.line
    page, places = pages[parts(line.spec)[0]]
    place = places.get(line.key)
    return f"{page}#{place}" if place else page
