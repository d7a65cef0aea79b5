"""A run over many operators: which part of each record is about which of them, and the index with the result, every
cause with the page that shows it, and each operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import Column, case_rows, columns
from plumbline.reports.findings import Finding, examples, findings
from plumbline.reports.page import content, frame, page, rendered
from plumbline.reports.words import anchor, by_age, parts
from plumbline.trial.record import ResultKey
from plumbline.trial.recording import Record, write_whole

Places = Mapping[ResultKey, str]
"""For a result the id of the place on its operator's page that shows it."""

MOST = 8000
"""Results that one page holds, over all its columns: about four megabytes."""


def divided(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records by text; {} where one page holds everything, and for campaigns, which count most results
    alone."""
    if any(record.is_campaign for record in records) or sum(len(record.cases) for record in records) <= MOST:
        return {}
    found = by_text(records)
    return found if len(found) > 1 else {}


def by_text(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records about each text (family and operator, versions together) that some result is about."""
    names = {parts(line.spec)[0]: None for record in records for line in record.cases}
    return {name: [part for record in records if (part := _part(record, name)).header.specifications]
            for name in sorted(names, key=by_age)}


def _part(record: Record, text: str) -> Record:
    """What a record says of one text. What limits the run as a whole is said where all of it is shown."""
    header, cases = record.header, [line for line in record.cases if parts(line.spec)[0] == text]
    results = header.selection.results
    chosen = {name: forms for name, forms in (results or {}).items() if parts(name)[0] == text}
    tried = sum(len(ids) for forms in chosen.values() for ids in forms.values()) if results else len(cases)
    selection = {"tried": tried, "of": tried, "not_asked": [], "results": None if results is None else chosen}
    specifications = {name: one for name, one in header.specifications.items() if parts(name)[0] == text}
    about = {"specifications": specifications, "selection": header.selection.model_copy(update=selection)}
    counts = dict(Counter(line.verdict for line in cases))
    footer = record.footer and record.footer.model_copy(update={"counts": counts, "gone": [], "notes": []})
    return Record(record.path, header.model_copy(update=about), cases, footer)


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


def write_html(records: Sequence[Record], path: Path) -> Path:
    """Write the page of some records, or its index and beside it a folder with a page for each operator; returns the
    path of the page or the index. Raises RecordError."""
    pages: dict[str, tuple[str, Places]] = {}
    for text, some in divided(records).items():
        about = content(columns(some))
        name = Path(path.stem, f"{anchor(text)}.html")
        write_whole(path.parent / name, rendered("page.html.j2", **{
            **about, "title": f"{text}: {about['title']}", "up": f"../{path.name}"}))
        pages[text] = quote(name.as_posix()), about["places"]
    return write_whole(path, rendered("index.html.j2", **_index(records, pages)) if pages else page(records))


def _index(records: Sequence[Record], pages: Mapping[str, tuple[str, Places]]) -> dict[str, Any]:
    """What the template of the index shows; `pages` has the address of each operator's page, and its places."""
    shown = columns(records)
    listed = findings(shown, case_rows(shown), clauses_of(shown))
    names = {name for column in shown for name in column.record.header.specifications}
    return {
        **frame(shown), "findings": listed, "examples": examples(listed, shown),
        "links": {finding.id: _link(finding, pages) for finding in listed},
        "operators": [OperatorRow(name, sorted(one for one in names if parts(one)[0] == name), address,
                                  [_cell(column, name) for column in shown])
                      for name, (address, _) in pages.items()]}


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
