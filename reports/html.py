"""One self-contained HTML page, made from records alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from reports.addresses import anchor, by_age, joined, parts
from reports.behaviour import silences, survey
from reports.evidence import evidence_rows, notices
from reports.findings import Line, accusations, errors
from reports.history import histories
from reports.page_data import page_data
from reports.pictures import printed_pictures
from reports.sections import Group, groups
from reports.side_by_side import Column, case_rows, columns, matrix, unlike
from reports.traceability import by_clause, by_flag, closing, traces
from trial.judge import ACCUSES, VERDICTS
from trial.record import Record

TEMPLATES = Path(__file__).with_name("templates")
FILES = {"style": "style.css", "pictures_style": "pictures.css", "script": "script.js"}
"""What a page carries beside its text."""

SYMBOLS = {"conforms": "✓", "diverges": "✗", "rejects-valid": "✗", "crashes": "✗", "hangs": "✗", "survey": "○",
           "rejects-invalid": "○", "accepts-invalid": "○", "outside-profile": "○", "observed": "○", "touched": "○",
           "erratum": "△", "not tried": "–", "unsupported": "–", "absent": "·", "harness-error": "!", "": "–"}
TONES = {"conforms": "good", "harness-error": "bad", **dict.fromkeys(ACCUSES, "bad")}
"""The class of a verdict or status; the rest are soft."""


def write_html(records: Sequence[Record], path: Path) -> Path:
    """Write the page of some records; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(records), encoding="utf-8", errors="backslashreplace")
    return path


def page(records: Sequence[Record]) -> str:
    """The page of some records."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters.update(inline=_inline, anchor=anchor, linked=_linked, local=lambda address: parts(address)[2],
                               joined=joined, by_verdict=_by_verdict, tone=lambda word: TONES.get(word, "soft"))
    environment.tests["link"] = lambda text: bool(LINK.fullmatch(text))
    return environment.get_template("page.html.j2").render(
        verdicts=VERDICTS, symbols=SYMBOLS, accuses=ACCUSES, **{
            name: Markup((TEMPLATES / file).read_text(encoding="utf-8")) for name, file in FILES.items()},
        **_content(columns(records)))


def _content(shown: list[Column]) -> dict[str, Any]:
    """What the templates show."""
    rows, cases, found = matrix(shown), case_rows(shown), list(traces(shown))
    listed = groups(shown, cases.values())
    every = [row for part in rows.values() for row in part]
    return {
        "columns": shown, "notices": [*unlike(shown), *notices(shown)],
        "tallies": [_tally(column) for column in shown],
        "rows": rows, "numbers": {row.address: number for number, row in enumerate(every)},
        "cases": cases, "case_numbers": {key: number for number, key in enumerate(cases)},
        "by_specification": {name: [(key, row) for key, row in cases.items() if key[0] == name] for name in rows},
        "alike": by_clause(found, len(shown)), "histories": histories(shown, every),
        "groups": listed, "group_ids": _group_ids(listed), "texts": _texts(rows), "editions": _editions(shown, rows),
        "findings": {key + (finding.form,): finding.anchors[number] for group in listed
                     for finding in group.findings for number, key in enumerate(finding.keys)},
        "silences": silences(shown, cases.values()), "survey": survey(shown, cases.values()),
        "errata": _errata(shown), "closing": closing(rows, cases), "flags": by_flag(cases.values(), len(shown)),
        "evidence": evidence_rows(shown),
        "choices": {"dtypes": sorted({row.line["dtype"] for row in cases.values()}),
                    "opsets": sorted({row.line["opset"] for row in cases.values()}),
                    "clauses": sorted({parts(row.address)[2] for row in every if row.clause["kind"] != "erratum"})},
        "data": page_data(shown, rows, cases, found)}


def _tally(column: Column) -> dict[str, Any]:
    """A column in numbers."""
    record = column.record
    wrong = accusations(record)
    return {"counts": record.counts, "results": len(record.cases), "wrong": len(wrong),
            "new": sum("known" not in line for line in wrong), "errors": errors(record)}


def _by_verdict(cell: dict[str, Line]) -> list[tuple[str, list[str]]]:
    """The forms of a case by verdict."""
    found: dict[str, list[str]] = {}
    for form, line in cell.items():
        found.setdefault(line["verdict"], []).append(form)
    return list(found.items())


def _group_ids(listed: Sequence[Group]) -> dict[str, str]:
    """For each broken clause where its findings are: in its own group, or in the first that has one of it."""
    found = {address: group.id for group in listed for address in group.addresses}
    for group in listed:
        for finding in group.findings:
            for line in finding.lines:
                found.update({address: group.id for address in line["clauses"] if address not in found})
    return found


def _texts(rows: Iterable[str]) -> list[str]:
    """Specifications, versions of one text together."""
    families: dict[str, list[str]] = {}
    for name in rows:
        families.setdefault(parts(name)[0], []).append(name)
    return [joined(names) for names in families.values()]


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


LINK = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:)]")


def _linked(text: str) -> Markup:
    """Text with its web addresses as links."""
    pieces, end = [], 0
    for match in LINK.finditer(text):
        pieces += [escape(text[end:match.start()]), Markup('<a href="{0}" rel="noreferrer">{0}</a>').format(match[0])]
        end = match.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _inline(text: str) -> Markup:
    """Markdown of one line: code spans and the like. Raw HTML is escaped and links are not made."""
    return Markup(MARKDOWN.renderInline(text))


MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])
