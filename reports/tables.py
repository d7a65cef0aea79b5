"""Records as CSV: clauses, cases, and what each case says of each clause."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from plumbline.reports.behaviour import done
from plumbline.reports.side_by_side import case_rows, columns, matrix
from plumbline.reports.traceability import boundary_of, has_never_failed, traces
from plumbline.trial.record import Record

UNSAFE = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula at the beginning of a cell."""


def write_tables(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `clauses.csv`, `cases.csv` and `traceability.csv`; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, table in tables(records).items():
        path = folder / f"{name}.csv"
        path.write_text(table, encoding="utf-8", errors="backslashreplace", newline="")
        paths.append(path)
    return paths


def tables(records: Sequence[Record]) -> dict[str, str]:
    """The text of each table by name. All are long: one line for each record and clause, result, or both.

    clauses:      of each record, counts and status; `broken_anywhere` is over all records
    cases:        of each record, one line for each result; `failed_anywhere` is over all records and forms
    traceability: of each record, each result and each clause that it says something of

    `boundary_pairs` are those of the clause (`cases.classes`) that a call can have, `boundary_pairs_covered` those that
    the cases of the record have; both are empty for a clause without inequalities.
    """
    shown = columns(records)
    who = [(column.name, column.version, column.file) for column in shown]
    rows, cases = matrix(shown), case_rows(shown)
    clauses = [
        (*who[number], name, row.address, row.clause["kind"], row.clause["title"], row.clause["statement"],
         row.clause["source"], row.clause["judges"], row.clause["restates"], cell.coverage,
         *(boundary_of(shown[number], row.address) or ("", "")), cell.status,
         cell.counts["conforms"], cell.counts["diverges"],
         sum(cell.counts.values()) - cell.counts["conforms"] - cell.counts["diverges"], _yes(row.broken))
        for name, part in rows.items() for row in part for number, cell in enumerate(row.cells) if cell]
    results = [
        (*who[number], line["spec"], line["id"], line["form"], line["verdict"], line["phase"],
         " ".join(line["clauses"]), " ".join(line["covers"]), line["dtype"], line["opset"], " ".join(line["flags"]),
         line.get("known", {}).get("id"), done(line)[0], line["did"], line["title"], line["source"],
         _yes(not has_never_failed(row)))
        for row in cases.values() for number, line in row.lines]
    found = [(*who[trace.column], trace.line["spec"], trace.address, trace.line["id"], trace.line["form"],
              trace.bearing, trace.line["verdict"], *(boundary_of(shown[trace.column], trace.address) or ("", "")))
             for trace in traces(shown)]
    record = ("backend", "version", "record")
    return {
        "clauses": _text((*record, "specification", "clause", "kind", "title", "statement", "source", "judges",
                          "restates", "written_cases", "boundary_pairs_covered", "boundary_pairs", "status",
                          "conforms", "diverges", "surveyed", "broken_anywhere"), clauses),
        "cases": _text((*record, "specification", "case", "form", "verdict", "phase", "clauses", "covers", "dtype",
                        "opset", "flags", "known", "did", "message", "title", "source", "failed_anywhere"), results),
        "traceability": _text((*record, "specification", "clause", "case", "form", "says", "verdict",
                                "boundary_pairs_covered", "boundary_pairs"), found)}


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _text(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([_safe(value) for value in row] for row in rows)
    return text.getvalue()


def _safe(value: object) -> object:
    """A value that no spreadsheet runs."""
    return f"'{value}" if isinstance(value, str) and value.startswith(UNSAFE) else value
