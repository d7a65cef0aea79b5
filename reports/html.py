"""One self-contained HTML page, made from records alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from plumbline.reports.addresses import anchor, joined, parts
from plumbline.reports.content import content
from plumbline.reports.findings import Line
from plumbline.reports.side_by_side import columns
from plumbline.reports.wording import count, together
from plumbline.trial.judge import ACCUSES, VERDICTS
from plumbline.trial.record import Record

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
    environment.filters.update(FILTERS)
    return environment.get_template("page.html.j2").render(
        verdicts=VERDICTS, symbols=SYMBOLS, **{
            name: Markup((TEMPLATES / file).read_text(encoding="utf-8")) for name, file in FILES.items()},
        **content(columns(records)))


def _clipped(message: str) -> str:
    """A long message without its middle: runtimes say where first, and what at the end."""
    return message if len(message) <= 260 else f"{message[:90]} … {message[-160:]}"


def _by_verdict(cell: dict[str, Line]) -> list[tuple[str, list[str]]]:
    """The forms of a case by verdict."""
    found: dict[str, list[str]] = {}
    for form, line in cell.items():
        found.setdefault(line["verdict"], []).append(form)
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
FILTERS = {"inline": _inline, "whole": _whole, "breakable": _breakable, "linked": _linked, "clipped": _clipped,
           "by_verdict": _by_verdict, "anchor": anchor, "joined": joined, "count": count, "together": together,
           "local": lambda address: parts(address)[2], "tone": lambda word: TONES.get(word, "soft")}
"""What the templates make of values."""
