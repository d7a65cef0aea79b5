"""Write records as data: CSV tables, filter data, badges."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plumbline.oracle.files import write_file
from plumbline.oracle.specification import matches
from plumbline.reports.clauses import MatrixRow, clause_rows, matrix
from plumbline.reports.columns import CaseRow, Column, Key, case_rows, columns
from plumbline.reports.coverage import boundary_coverage
from plumbline.reports.trace import Trace, traces
from plumbline.reports.unjudged import describe_conduct
from plumbline.reports.words import local_of
from plumbline.trial.record.measurements import in_words
from plumbline.trial.record.recording import Record

UNSAFE = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet reads as a formula."""


def write_tables(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `clauses.csv`, `cases.csv` and `traceability.csv`; return their paths. Raises OSError."""
    return [write_file(folder / f"{name}.csv", table) for name, table in tables(records).items()]


def tables(records: Sequence[Record]) -> dict[str, str]:
    """The tables as CSV text by name.

    clauses:      a line per record and clause: counts and status. `broken_anywhere` is over all records; `measured` are
                  the largest figures, for a U clause on accuracy.
    cases:        a line per record and result. `state_anywhere` is over all records and output selections: broken,
                  refused, kept, recorded (nothing could be judged) or not tried.
    traceability: a line per record, result and clause on which the result bears.

    `boundary_pairs` are the pairs of boundary classes of a clause that are possible, `boundary_pairs_covered` those
    that the cases of the record cover; both are empty for a clause without inequalities. `tags` are the source's own.
    """
    shown = columns(records)
    origin = [(column.name, column.version, column.file, column.record.incomplete) for column in shown]
    rows, cases = matrix(shown), case_rows(shown)
    clauses = [
        (*origin[number], name, row.address, row.clause.kind, row.clause.title, row.clause.statement,
         row.clause.source, row.clause.judges, row.clause.restates, cell.coverage,
         *(boundary_coverage(shown[number], row.address) or ("", "")), cell.status,
         cell.counts["conforms"], cell.counts["diverges"], cell.counts["refused"],
         sum(cell.counts.values()) - sum(cell.counts[name] for name in ("conforms", "diverges", "refused")),
         _yes(row.broken), " ".join(row.clause.tags), in_words(cell.figures))
        for name, part in rows.items() for row in part for number, cell in enumerate(row.cells) if cell]
    results = [
        (*origin[number], line.spec, line.id, line.form, line.verdict, line.phase,
         " ".join(line.clauses), " ".join(line.covers), line.dtype, line.opset, " ".join(line.flags),
         line.known.id if line.known else None, describe_conduct(line)[0], line.did, line.title, line.source,
         row.state)
        for row in cases.values() for number, line in row.lines]
    bearings = [(*origin[trace.column], trace.line.spec, trace.address, trace.line.id, trace.line.form,
                 trace.bearing, trace.line.verdict,
                 *(boundary_coverage(shown[trace.column], trace.address) or ("", "")))
                for trace in traces(shown)]
    record = ("backend", "version", "record", "incomplete")
    return {
        "clauses": _text((*record, "specification", "clause", "kind", "title", "statement", "source", "judges",
                          "restates", "written_cases", "boundary_pairs_covered", "boundary_pairs", "status",
                          "conforms", "diverges", "refused", "surveyed", "broken_anywhere", "tags", "measured"),
                         clauses),
        "cases": _text((*record, "specification", "case", "form", "verdict", "phase", "clauses", "covers", "dtype",
                        "opset", "flags", "known", "did", "message", "title", "source", "state_anywhere"), results),
        "traceability": _text((*record, "specification", "clause", "case", "form", "says", "verdict",
                                "boundary_pairs_covered", "boundary_pairs"), bearings)}


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _text(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([_safe(value) for value in row] for row in rows)
    return text.getvalue()


def _safe(value: object) -> object:
    """A value that no spreadsheet runs as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(UNSAFE) else value


def endpoint(record: Record, specifications: str = "*") -> dict[str, object]:
    """The badge of a record, in the format of shields.io.

    It counts the kept clauses on outputs among those that some call judges, over the specifications that match a glob,
    and is green if nothing new accuses the backend. Raises LookupError if no specification matches."""
    names = [name for name in record.header.specifications if matches(name, specifications)]
    if not names:
        raise LookupError(f"{record.path}: no specification matches {specifications!r}")
    statuses = [row.status for name in names for row in clause_rows(record, name)
                if row.clause.judges == "outputs" and not row.clause.restates]
    kept = statuses.count("conforms")
    tried = kept + statuses.count("diverges") + statuses.count("refused")
    lines = [line for line in record.cases if line.spec in names]
    new = any(line.accuses and line.known is None for line in lines)
    colour = "red" if new else "brightgreen" if kept == tried else "green"
    selection, message = record.header.selection, f"{kept} of {tried} clauses kept"
    unjudged = any(line.verdict == "harness-error" for line in lines) or not kept + statuses.count("diverges")
    if not record.whole or unjudged or selection.tried < selection.of:
        message, colour = f"{message}, incomplete", "red" if new else "lightgrey"
    label = specifications if specifications != "*" else f"{record.header.backend.name} conformance"
    return {"schemaVersion": 1, "label": label, "message": message, "color": colour}


def write_badge(record: Record, folder: Path, specifications: str = "*") -> list[Path]:
    """Write the badge of a record; return its path. Raises OSError."""
    text = json.dumps(endpoint(record, specifications), indent=2) + "\n"
    return [write_file(folder / f"{record.path.stem}.badge.json", text)]


def page_data(shown: Sequence[Column], rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow],
              every_trace: Sequence[Trace]) -> dict[str, Any]:
    """The data by which the script of a page filters.

    clauses: for each row of the matrix: section and tag, kind, what it judges
    cases:   for each row of the table of cases: specification, dtype, opset, its clauses, its flags
    results: for each result: case, column, verdict, and the number of an entry in
    says:    lists of clause, bearing, clause, bearing and so on"""
    names = {name: _Numbers() for name in ("specifications", "dtypes", "opsets", "verdicts", "bearings", "groups",
                                           "flagsets")}
    clauses = {row.address: number for number, row in enumerate(row for part in rows.values() for row in part)}
    says: dict[int, list[int]] = {}
    for trace in every_trace:
        says.setdefault(id(trace.line), []).extend((clauses[trace.address], names["bearings"].of(trace.bearing)))
    sayings = _Numbers()
    listed, results = [], []
    for number, row in enumerate(cases.values()):
        group = names["groups"].of(tuple(sorted(clauses[address] for address in row.clauses if address in clauses)))
        listed.append([names["specifications"].of(row.line.spec), names["dtypes"].of(row.line.dtype),
                       names["opsets"].of(row.line.opset), group,
                       names["flagsets"].of(tuple(row.line.flags))])
        for column, line in row.lines:
            results.append([number, column, names["verdicts"].of(line.verdict),
                            sayings.of(tuple(says.get(id(line), ())))])
    return {"columns": len(shown), "labels": [column.label for column in shown],
            **{name: list(numbers) for name, numbers in names.items()},
            "clauses": [[local_of(row.address), row.clause.kind, row.clause.judges]
                        for part in rows.values() for row in part],
            "cases": listed, "results": results, "says": list(sayings)}


class _Numbers(dict[Any, int]):
    """Consecutive numbers of values, by first use."""

    def of(self, value: Any) -> int:
        """The number of a value, new at first use."""
        return self.setdefault(value, len(self))
