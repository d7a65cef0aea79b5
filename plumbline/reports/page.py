"""Write records as HTML pages: one, or an index with operator pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from plumbline.oracle.files import write_file
from plumbline.oracle.foreign_code import guarded
from plumbline.processes.copies import shared
from plumbline.reports.accuracy_shares import accuracy_shares
from plumbline.reports.clauses import LISTED, broken_clauses, clauses_of, errors, matrix, notation
from plumbline.reports.columns import Column, case_rows, columns, count_accusations, runtimes
from plumbline.reports.coverage import boundaries, size_coverage, wide_bounds
from plumbline.reports.errata import errata
from plumbline.reports.evidence import evidence_rows, mismatches, notices
from plumbline.reports.examples import examples, label_columns
from plumbline.reports.findings import findings, findings_by_clause, page_anchors
from plumbline.reports.histories import column_regressions, histories, progress, steps
from plumbline.reports.models import models
from plumbline.reports.overview import Cell, cells, families, widest
from plumbline.reports.record_parts import divided
from plumbline.reports.release_charts import release_charts
from plumbline.reports.rendering import rendered
from plumbline.reports.tables import page_data
from plumbline.reports.text import headline, rerun_command
from plumbline.reports.trace import STATES, case_groups, results_by_flag, state_summaries, traces
from plumbline.reports.unjudged import informational_results, rows_by_specification, unspecified_clauses
from plumbline.reports.words import anchor, local_of, merge_versions, newest_first, unversioned
from plumbline.trial.accuracy.measurement import Measurement
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.lines import CaseLine, ResultKey
from plumbline.trial.record.recording import Record

GENERATORS = 6
"""Generators named above a table of cases."""


class OperatorPage(NamedTuple):
    """The address of an operator's page, its result anchors, and its cells by label.

    scripts: the anchor of the reproducer by that of the result.
    """

    address: str
    anchors: Mapping[ResultKey, str]
    cells: Mapping[str, Cell]
    scripts: Mapping[str, str]


@dataclass(frozen=True)
class Tally:
    """The numbers of one column."""

    counts: Counter[str]
    results: int
    wrong: int
    new: int
    errors: list[CaseLine]


def write_html(records: Sequence[Record], path: Path, processes: int = 1, measured: Sequence[Measurement] = ()
               ) -> Path:
    """Write the page of some records, and of measurements of their backends; return its path.

    If one page would be too large, `path` is the index, and each operator has a page in a folder beside it; these are
    made by that many processes. Raises OSError."""
    parts = divided(records)
    pages = dict(zip(parts, shared(partial(_write_part, path), [*parts.items()], processes, guarded), strict=True))
    if not pages:
        return write_file(path, page(records, measured))
    rows = {"accuracy": accuracy_shares(columns(records), measured)}
    return write_file(path, rendered("index.html.j2", **{**_index(records, pages), **rows}))


def _write_part(index: Path, part: tuple[str, Sequence[Record]]) -> OperatorPage:
    """Write an operator's page in the folder beside the index."""
    specification, records = part
    shown = content(columns(records))
    name = Path(index.stem, f"{anchor(specification)}.html")
    write_file(index.parent / name, rendered("page.html.j2", **{
        **shown, "title": f"{specification}: {shown['title']}", "up": f"../{index.name}"}))
    return OperatorPage(quote(name.as_posix()), shown["places"], shown["cells"][specification], {
        name: f"{instance.anchors[0]}-script" for finding in shown["findings"] for instance in finding.instances
        if instance.scripts for name in instance.anchors})


def page(records: Sequence[Record], measured: Sequence[Measurement] = ()) -> str:
    """The page of some records as HTML."""
    shown = columns(records)
    return rendered("page.html.j2", **{**content(shown), "accuracy": accuracy_shares(shown, measured)})


def frame(shown: Sequence[Column]) -> dict[str, Any]:
    """The template variables that every page of columns needs."""
    return {
        "columns": shown, "label_columns": partial(label_columns, shown=shown), "title": _title(shown),
        "runtimes": runtimes(shown),
        "specifications": merge_versions(sorted(_specifications(shown), key=newest_first)), "listed": LISTED,
        "rerun_command": rerun_command, "up": "", "page_of": lambda address: "",
        "charts": partial(release_charts, shown=shown), "accuracy": accuracy_shares(shown),
        "headlines": [(column.label, headline(column.record, len(groups(column.record)))) for column in shown
                      if len(shown) > 1 or not column.record.header.model or not column.record.whole],
        "notices": [*mismatches(shown), *notices(shown)], "evidence": evidence_rows(shown)}


def content(shown: Sequence[Column]) -> dict[str, Any]:
    """Return the template variables of a page that shows records as columns."""
    rows, cases, every_trace, clauses = matrix(shown), case_rows(shown), list(traces(shown)), clauses_of(shown)
    causes = findings(shown, cases, clauses)
    every_row = [row for part in rows.values() for row in part]
    broken = broken_clauses(every_row, column_regressions(shown))
    bounded = boundaries(shown, every_row)
    anchors = page_anchors(causes)
    cells_of = cells(shown, rows, causes)
    overview = families(shown, cells_of, {})
    return {
        **frame(shown), "editions": _editions(shown, rows),
        "tallies": [_tally(column) for column in shown],
        "broken": broken, "progress": progress(shown, broken), "notation": notation(broken, rows),
        "histories": histories(shown, every_row), "steps": steps(shown),
        "rows": rows, "numbers": {row.address: number for number, row in enumerate(every_row)},
        "case_groups": case_groups(every_trace, len(shown)), "findings": causes, "clauses": clauses,
        "findings_by_clause": findings_by_clause(causes), "cells": cells_of,
        "overview": overview, "widest": widest(overview),
        "places": anchors, "examples": examples(causes, shown),
        "models": models(shown, lambda line: f"#{anchors[line.key]}" if line.key in anchors else ""),
        "unspecified": unspecified_clauses(shown, cases.values()),
        "informational": rows_by_specification(informational_results(shown, cases.values())),
        "errata": errata(shown), "summaries": state_summaries(rows, cases), "states": STATES, "boundaries": bounded,
        "sizes": size_coverage(shown), "wide_bounds": wide_bounds(shown),
        "pairs": {address: list(dict.fromkeys(filter(None, entry.cells)))
                  for entry in bounded for address in entry.addresses},
        "meanings": {name: text for column in shown for name, text in column.record.header.flags.items()},
        "flags": results_by_flag(cases.values(), len(shown)),
        "by_specification": {name: [(key, row) for key, row in cases.items() if key[0] == name] for name in rows},
        "generators": {name: list(dict.fromkeys(
            row.line.source for key, row in cases.items() if key[0] == name and row.line.generated))[:GENERATORS]
            for name in rows},
        "case_numbers": {key: number for number, key in enumerate(cases)},
        "choices": {"dtypes": sorted({row.line.dtype for row in cases.values()}),
                    "opsets": sorted({row.line.opset for row in cases.values()}),
                    "clauses": sorted({local_of(row.address) for row in every_row if row.clause.kind != "erratum"})},
        "data": page_data(shown, rows, cases, every_trace)}


def _index(records: Sequence[Record], pages: Mapping[str, OperatorPage]) -> dict[str, Any]:
    """The template variables of an index of operator pages."""
    shown = columns(records)
    causes = findings(shown, case_rows(shown), clauses_of(shown))
    overview = families(shown, {name: there.cells for name, there in pages.items()},
                        {name: there.address for name, there in pages.items()})
    examples_of = examples(causes, shown)
    first = {finding.id: examples_of[finding.id][0].instance.line for finding in causes}
    return {
        **frame(shown), "findings": causes, "examples": examples_of,
        "links": {finding.id: [(name, _link(first[finding.id], pages) if name == unversioned(first[finding.id].spec)
                                else f"{pages[name].address}#findings") for name in finding.specifications.split(", ")]
                  for finding in causes},
        "reproducers": {finding.id: _script(first[finding.id], pages) for finding in causes},
        "models": models(shown, lambda line: _link(line, pages)), "overview": overview, "widest": widest(overview)}


def _specifications(shown: Sequence[Column]) -> set[str]:
    return {name for column in shown for name in column.record.header.specifications}


def _link(line: CaseLine, pages: Mapping[str, OperatorPage]) -> str:
    """The address of a result, or of its operator's page."""
    there = pages[unversioned(line.spec)]
    place = there.anchors.get(line.key)
    return f"{there.address}#{place}" if place else there.address


def _script(line: CaseLine, pages: Mapping[str, OperatorPage]) -> str:
    """The address of the reproducer of a result, or ""."""
    there = pages[unversioned(line.spec)]
    place = there.scripts.get(there.anchors.get(line.key, ""))
    return f"{there.address}#{place}" if place else ""


def _title(shown: Sequence[Column]) -> str:
    names = {column.name for column in shown}
    if len(shown) == 1:
        model = shown[0].record.header.model
        return f"{model.file} on {shown[0].label}" if model else shown[0].label
    if len(names) == 1 and len(shown) == 2:
        return f"{shown[0].label} against {shown[1].short}"
    if len(names) == 1:
        return f"{len(shown)} versions of {names.pop()}"
    versions_of_all = f" in {len(shown)} versions" if len(names) < len(shown) else ""
    return f"{len(names)} implementations{versions_of_all} side by side"


def _tally(column: Column) -> Tally:
    accusations = count_accusations(column.record)
    counts = column.record.counts
    return Tally(counts, counts.total(), accusations.total(), accusations[False], errors(column.record))


def _editions(shown: Sequence[Column], names: Iterable[str]) -> dict[str, list[str]]:
    """The editions of each specification; several if records differ."""
    tried = [column.record.header.specifications for column in shown]
    return {name: list(dict.fromkeys(specifications[name].edition for specifications in tried
                                     if name in specifications))
            for name in sorted(names, key=newest_first)}
