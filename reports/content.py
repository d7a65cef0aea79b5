"""What a page shows, put together from records: every name that the templates use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from plumbline.reports.addresses import by_age, parts, texts
from plumbline.reports.behaviour import Row, silences, survey
from plumbline.reports.campaigns import accused
from plumbline.reports.compare import Transition, changes, lost, transitions
from plumbline.reports.crossings import in_all, of_the_same_clause, on_the_same_calls
from plumbline.reports.evidence import evidence_rows, notices
from plumbline.reports.examples import examples, failures, where
from plumbline.reports.findings import errors
from plumbline.reports.glance import broken_clauses, legend, losses, progress
from plumbline.reports.history import histories, versions
from plumbline.reports.index import places, section_ids
from plumbline.reports.page_data import page_data
from plumbline.reports.pictures import printed_pictures
from plumbline.reports.sections import clauses_of, sections
from plumbline.reports.side_by_side import Column, case_rows, matrix, unlike
from plumbline.reports.traceability import boundaries, by_clause, by_flag, closing, traces


def content(shown: Sequence[Column]) -> dict[str, Any]:
    """What the templates show of some columns."""
    rows, cases, found = matrix(shown), case_rows(shown), list(traces(shown))
    listed = sections(shown, cases)
    every = [row for part in rows.values() for row in part]
    worse = losses(shown)
    broken = broken_clauses(every, worse)
    bounded = boundaries(shown, every)
    written = [row for row in every if row.clause["kind"] != "erratum"]
    return {
        "columns": shown, "where": partial(where, shown=shown), "in_all": in_all,
        "title": _title(shown), "texts": texts(rows), "editions": _editions(shown, rows),
        "notices": [*unlike(shown), *notices(shown)], "tallies": [_tally(column) for column in shown],
        "glance": broken, "progress": progress(shown, broken), "legend": legend(broken, rows),
        "worse": [Counter(line["verdict"] for line in lines) for lines in worse],
        "histories": histories(shown, every), "steps": _steps(shown),
        "rows": rows, "numbers": {row.address: number for number, row in enumerate(every)},
        "alike": by_clause(found, len(shown)),
        "sections": listed, "texts_of": clauses_of(shown), "section_ids": section_ids(listed),
        "on_the_same_calls": on_the_same_calls(listed), "of_the_same_clause": of_the_same_clause(listed),
        "places": places(listed), "examples": examples(listed, broken, shown),
        "failures": failures(listed, shown),
        "silences": silences(shown, cases.values()), "survey": _by_family(survey(shown, cases.values())),
        "errata": _errata(shown), "closing": closing(rows, cases), "boundaries": bounded,
        "sides": {address: list(dict.fromkeys(filter(None, entry.cells)))
                  for entry in bounded for address in entry.addresses},
        "meanings": _meanings(shown), "flags": by_flag(cases.values(), len(shown)),
        "by_specification": {name: [(key, row) for key, row in cases.items() if key[0] == name] for name in rows},
        "case_numbers": {key: number for number, key in enumerate(cases)},
        "evidence": evidence_rows(shown),
        "choices": {"dtypes": sorted({row.line["dtype"] for row in cases.values()}),
                    "opsets": sorted({row.line["opset"] for row in cases.values()}),
                    "clauses": sorted({parts(row.address)[2] for row in written})},
        "data": page_data(shown, rows, cases, found)}


def _meanings(shown: Sequence[Column]) -> dict[str, str]:
    """What each flag means, by the last record that defines it."""
    return {name: text for column in shown for name, text in column.record.header.get("flags", {}).items()}


def _by_family(outside: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in outside:
        found.setdefault(row.family, []).append(row)
    return found


def _title(shown: Sequence[Column]) -> str:
    names = {column.name for column in shown}
    if len(shown) == 1:
        return shown[0].label
    if len(names) == 1 and len(shown) == 2:
        return f"{shown[0].label} against {shown[1].short}"
    if len(names) == 1:
        return f"{len(shown)} versions of {names.pop()}"
    versions_of_all = f" in {len(shown)} versions" if len(names) < len(shown) else ""
    return f"{len(names)} implementations{versions_of_all} side by side"


def _tally(column: Column) -> dict[str, Any]:
    """A column in numbers."""
    record = column.record
    wrong = accused(record)
    return {"counts": record.counts, "results": record.counts.total(), "wrong": wrong.total(),
            "new": wrong[False], "errors": errors(record)}


def _steps(shown: Sequence[Column]) -> list[tuple[str, str, list[Transition], list[Transition]]]:
    """(one version, the next one of the same backend, the results that conformed and accuse now, the others that went
    another way: what accuses more first, then what accuses less)."""
    found = []
    for old, new in (pair for numbers in versions(shown).values() for pair in pairwise(numbers)):
        changed = changes(shown[old].record, shown[new].record)
        worse = lost(shown[old].record, shown[new].record)
        told = {id(change.new) for change in worse}
        others = sorted((change for change in changed if id(change.new) not in told),
                        key=lambda change: (not change.appeared, not change.disappeared))
        if changed:
            found.append((shown[old].label, shown[new].short,
                          transitions(worse), transitions(others)))
    return found


def _editions(shown: Sequence[Column], rows: Iterable[str]) -> dict[str, list[str]]:
    """The editions of each specification; one, unless records differ."""
    texts = [column.record.header["specifications"] for column in shown]
    return {name: list(dict.fromkeys(text[name]["edition"] for text in texts if name in text)) for name in rows}


def _errata(shown: Sequence[Column]) -> list[dict[str, Any]]:
    """Each erratum with the evidence computed in the run, and what the source prints; versions of a text together."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    headers = [column.record.header for column in shown]
    printed = {(entry["spec"], entry["case"]): entry for header in headers for entry in header["as_printed"]}
    clauses = {address: (clause, header["errata"].get(address, "")) for header in headers
               for text in header["specifications"].values() for address, clause in text["clauses"].items()
               if clause["kind"] == "erratum"}
    for address in sorted(clauses, key=by_age):
        clause, computed = clauses[address]
        family, _, local = parts(address)
        entry = found.setdefault((family, local, clause["statement"]),
                                 {"clause": clause, "computed": computed, "addresses": [], "printed": []})
        entry["addresses"].append(address)
        entry["printed"] += [{**case, "pictures": printed_pictures(case)} for case in printed.values()
                             if case["erratum"] == address]
    return list(found.values())
