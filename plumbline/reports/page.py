"""Self-contained HTML pages, made from records alone, that run nothing but their own script: one for all that some
records say, or, where that is too much for one, an index and a page for each operator."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from plumbline.cases.generate.process_copies import shared
from plumbline.oracle.files import write_file
from plumbline.reports.changes import histories, losses, progress, steps
from plumbline.reports.clauses import boundaries, broken_clauses, clauses_of, errors, loose, matrix, notation, sizes
from plumbline.reports.columns import Column, accused, case_rows, columns, errata, evidence_rows, notices, unlike
from plumbline.reports.findings import examples, findings, of_clauses, places, where
from plumbline.reports.models import models
from plumbline.reports.tables import page_data
from plumbline.reports.text import again, headline
from plumbline.reports.trace import STATES, Row, by_clause, by_flag, closing, silences, survey, traces
from plumbline.reports.words import anchor, by_age, clipped, count, joined, parts, texts, together
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.judge import ACCUSES, VERDICTS
from plumbline.trial.record.lines import CaseLine, ResultKey
from plumbline.trial.record.measurements import in_words
from plumbline.trial.record.recording import Record

MOST = 8000
"""Results that one page holds, over all its columns: about four megabytes."""

TEMPLATES = Path(__file__).with_name("templates")

SYMBOLS = {**dict.fromkeys(VERDICTS, "○"), **dict.fromkeys(ACCUSES, "✗"), "conforms": "✓", "survey": "○",
           "touched": "○", "refused": "⊘", "erratum": "△", "not tried": "–", "unsupported": "–", "absent": "·",
           "harness-error": "!", "": "–", "kept": "✓", "broken": "✗"}
TONES = {"conforms": "good", "kept": "good", **dict.fromkeys([*ACCUSES, "harness-error", "refused", "broken"], "bad")}
"""The class of a verdict or status; the rest are soft."""

LISTED = ("Known: on the list of known divergences of the suite or of the run, with the reason. It need not have been "
          "reported, and may be older than this version. New: on no list.")
"""What the marks of causes mean."""


def write_html(records: Sequence[Record], path: Path, processes: int = 1) -> Path:
    """Write the page of some records, or its index and beside it a folder with a page for each operator, which so
    many processes make; returns the path of the page or the index. Raises OSError."""
    texts = divided(records)
    pages = dict(zip(texts, shared(partial(_write_part, path), [*texts.items()], processes), strict=True))
    return write_file(path, rendered("index.html.j2", **_index(records, pages)) if pages else page(records))


def _write_part(path: Path, part: tuple[str, Sequence[Record]]) -> tuple[str, Mapping[ResultKey, str]]:
    """Write the page of one text beside that of `path`: its address from there, and where it shows each result."""
    text, records = part
    about = content(columns(records))
    name = Path(path.stem, f"{anchor(text)}.html")
    write_file(path.parent / name, rendered("page.html.j2", **{
        **about, "title": f"{text}: {about['title']}", "up": f"../{path.name}"}))
    return quote(name.as_posix()), about["places"]


def page(records: Sequence[Record]) -> str:
    """The page of some records."""
    return rendered("page.html.j2", **content(columns(records)))


def rendered(template: str, **shown: Any) -> str:
    """What a template makes of what it shows."""
    style = _read("style.css", "pictures.css", *["model.css"] * bool(shown.get("models")))
    scripts = ["script.js"] * ("data" in shown) + ["follow.js"] * ("findings" in shown) + list(shown.get("scripts", ()))
    script = _read("theme.js", *scripts)
    policy = (f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'; "
              "form-action 'none'")
    return environment().get_template(template).render(
        verdicts=VERDICTS, symbols=SYMBOLS, style=Markup(style), script=Markup(script), policy=policy, **shown)


def frame(shown: Sequence[Column]) -> dict[str, Any]:
    """What every page shows of some columns."""
    names = {name for column in shown for name in column.record.header.specifications}
    return {
        "columns": shown, "where": partial(where, shown=shown), "title": _title(shown),
        "texts": texts(sorted(names, key=by_age)), "listed_words": LISTED, "again": again, "up": "",
        "page_of": lambda address: "",
        "headlines": [(column.label, headline(column.record, len(groups(column.record)))) for column in shown],
        "notices": [*unlike(shown), *notices(shown)], "evidence": evidence_rows(shown)}


def content(shown: Sequence[Column]) -> dict[str, Any]:
    """What the templates show of some columns: every name that they use."""
    rows, cases, found, clauses = matrix(shown), case_rows(shown), list(traces(shown)), clauses_of(shown)
    listed = findings(shown, cases, clauses)
    every = [row for part in rows.values() for row in part]
    worse = losses(shown)
    broken = broken_clauses(every, worse)
    bounded = boundaries(shown, every)
    written = [row for row in every if row.clause.kind != "erratum"]
    shown_at = places(listed)
    return {
        **frame(shown), "editions": _editions(shown, rows),
        "tallies": [_tally(column) for column in shown],
        "broken": broken, "progress": progress(shown, broken), "notation": notation(broken, rows),
        "worse": [Counter(line.verdict for line in lines) for lines in worse],
        "histories": histories(shown, every), "steps": steps(shown),
        "rows": rows, "numbers": {row.address: number for number, row in enumerate(every)},
        "alike": by_clause(found, len(shown)), "findings": listed, "texts_of": clauses,
        "of_clauses": of_clauses(listed),
        "places": shown_at, "examples": examples(listed, shown),
        "models": models(shown, lambda line: f"#{shown_at[line.key]}" if line.key in shown_at else ""),
        "silences": silences(shown, cases.values()), "survey": by_family(survey(shown, cases.values())),
        "errata": errata(shown), "closing": closing(rows, cases), "states": STATES, "boundaries": bounded,
        "sizes": sizes(shown), "loose": loose(shown),
        "sides": {address: list(dict.fromkeys(filter(None, entry.cells)))
                  for entry in bounded for address in entry.addresses},
        "meanings": {name: text for column in shown for name, text in column.record.header.flags.items()},
        "flags": by_flag(cases.values(), len(shown)),
        "by_specification": {name: [(key, row) for key, row in cases.items() if key[0] == name] for name in rows},
        "made": {name: list(dict.fromkeys(row.line.source for key, row in cases.items()
                                          if key[0] == name and row.line.generated))[:6] for name in rows},
        "case_numbers": {key: number for number, key in enumerate(cases)},
        "choices": {"dtypes": sorted({row.line.dtype for row in cases.values()}),
                    "opsets": sorted({row.line.opset for row in cases.values()}),
                    "clauses": sorted({parts(row.address)[2] for row in written})},
        "data": page_data(shown, rows, cases, found)}


def _index(records: Sequence[Record], pages: Mapping[str, tuple[str, Mapping[ResultKey, str]]]) -> dict[str, Any]:
    """What the template of the index shows; `pages` has the address of each operator's page, and its places."""
    shown = columns(records)
    listed = findings(shown, case_rows(shown), clauses_of(shown))
    names = {name for column in shown for name in column.record.header.specifications}
    chosen = examples(listed, shown)
    first = {finding.id: chosen[finding.id][0].instance.line for finding in listed}
    counted = [_counted(column) for column in shown]
    return {
        **frame(shown), "findings": listed, "examples": chosen,
        "links": {finding.id: [(name, _link(first[finding.id], pages) if name == parts(first[finding.id].spec)[0]
                                else f"{pages[name][0]}#findings") for name in finding.text.split(", ")]
                  for finding in listed},
        "models": models(shown, lambda line: _link(line, pages)),
        "operators": [(name, sorted(one for one in names if parts(one)[0] == name), address,
                       [counts[name] for counts in counted]) for name, (address, _) in pages.items()]}


def _counted(column: Column) -> dict[str, Counter[str]]:
    """What one backend did about each text: results by verdict, "all" of them, and those that accuse it, "new" and
    "known"."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for text, lines in _by_text(column.record).items():
        found[text] = Counter(line.verdict for line in lines) + Counter(
            "known" if line.known else "new" for line in lines if line.accuses) + Counter(all=len(lines))
    return found


def _link(line: CaseLine, pages: Mapping[str, tuple[str, Mapping[ResultKey, str]]]) -> str:
    """Where a result is shown, or else its operator's page."""
    address, places_there = pages[parts(line.spec)[0]]
    place = places_there.get(line.key)
    return f"{address}#{place}" if place else address


def divided(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records by text; {} where one page holds everything, and for campaigns, which count most results
    alone."""
    if any(record.is_campaign for record in records) or sum(len(record.cases) for record in records) <= MOST:
        return {}
    found = by_text(records)
    return found if len(found) > 1 else {}


def by_text(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records about each text (family and operator, versions together) that some result is about."""
    cases = [_by_text(record) for record in records]
    return {name: [part for record, theirs in zip(records, cases, strict=True)
                   if (part := _part(record, name, theirs.get(name, []))).header.specifications]
            for name in sorted({name for theirs in cases for name in theirs}, key=by_age)}


def _by_text(record: Record) -> dict[str, list[CaseLine]]:
    """The results of a record by the text that they are about."""
    found: dict[str, list[CaseLine]] = {}
    for line in record.cases:
        found.setdefault(parts(line.spec)[0], []).append(line)
    return found


def _part(record: Record, text: str, cases: list[CaseLine]) -> Record:
    """What a record says of one text, of which these are the results. What limits the run as a whole is said where all
    of it is shown."""
    header = record.header
    results = header.selection.results
    chosen = {name: forms for name, forms in (results or {}).items() if parts(name)[0] == text}
    tried = sum(len(ids) for forms in chosen.values() for ids in forms.values()) if results else len(cases)
    selection = {"tried": tried, "of": tried, "not_asked": [], "results": None if results is None else chosen}
    specifications = {name: one for name, one in header.specifications.items() if parts(name)[0] == text}
    about = {"specifications": specifications, "selection": header.selection.model_copy(update=selection),
             "model": None}
    counts = dict(Counter(line.verdict for line in cases))
    footer = record.footer and record.footer.model_copy(update={"counts": counts, "gone": [], "notes": []})
    return Record(record.path, header.model_copy(update=about), cases, footer)


@cache
def environment() -> jinja2.Environment:
    """One for all pages, so that each template is compiled once."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters.update(FILTERS)
    return environment


def _read(*names: str) -> str:
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def _digest(text: str) -> str:
    """A source that a Content-Security-Policy allows."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def by_family(outside: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of the survey by what text they are of."""
    found: dict[str, list[Row]] = {}
    for row in outside:
        found.setdefault(row.family, []).append(row)
    return found


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


def _tally(column: Column) -> dict[str, Any]:
    """A column in numbers."""
    record = column.record
    wrong = accused(record)
    return {"counts": record.counts, "results": record.counts.total(), "wrong": wrong.total(),
            "new": wrong[False], "errors": errors(record)}


def _editions(shown: Sequence[Column], rows: Iterable[str]) -> dict[str, list[str]]:
    """The editions of each specification; one, unless records differ."""
    held = [column.record.header.specifications for column in shown]
    return {name: list(dict.fromkeys(texts[name].edition for texts in held if name in texts))
            for name in sorted(rows, key=by_age)}


def _by_verdict(cell: dict[str, CaseLine]) -> list[tuple[str, list[str]]]:
    """The forms of a case by verdict."""
    found: dict[str, list[str]] = {}
    for form, line in cell.items():
        found.setdefault(line.verdict, []).append(form)
    return list(found.items())


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
    return _whole(Markup(MARKDOWN.renderInline(text)))


WHOLE = re.compile(r"[-−]inf\b|@\d+(?:,\d+)+")
"""What no line breaks within: an infinity with its sign, the versions of an address."""


def _whole(text: str) -> Markup:
    """Text, or HTML, with what is to stay on one line marked."""
    return Markup(WHOLE.sub(r'<span class="whole">\g<0></span>', str(escape(text))))


def _breakable(addresses: str) -> Markup:
    """Addresses that may break before their versions and before their clause."""
    return Markup("<wbr>").join(map(_whole, re.split("(?=[@#])", addresses)))


MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])
FILTERS = {"inline": _inline, "whole": _whole, "breakable": _breakable, "linked": _linked, "measured": in_words,
           "by_verdict": _by_verdict, "anchor": anchor, "joined": joined, "count": count, "together": together,
           "xml": lambda text: Markup(html.escape(text)), "capital": lambda text: text[:1].upper() + text[1:],
           "local": lambda address: parts(address)[2], "tone": lambda word: TONES.get(word, "soft"), "clipped": clipped}
"""What the templates make of values."""
