"""Render templates: environment, filters, symbols, security policy."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import html
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from plumbline.oracle.files import write_file
from plumbline.reports.words import anchor, clipped, count, joined, local_of, merge_labels
from plumbline.trial.record.judge import ACCUSES, VERDICTS
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import in_words

TEMPLATES = Path(__file__).with_name("templates")

SYMBOLS = {**dict.fromkeys(VERDICTS, "○"), **dict.fromkeys(ACCUSES, "✗"), "conforms": "✓", "survey": "○",
           "touched": "○", "refused": "⊘", "erratum": "△", "not tried": "–", "unsupported": "–", "absent": "·",
           "harness-error": "!", "": "–", "kept": "✓", "broken": "✗", "undefined": "○"}
TONES = {"conforms": "good", "kept": "good", **dict.fromkeys([*ACCUSES, "harness-error", "refused", "broken"], "bad")}
"""The CSS class of a verdict or status; all others are soft."""

LINK = re.compile(r"https?://[^\s<>\"']*[^\s<>\"'.,;:)]")

UNBROKEN = re.compile(r"-inf\b|@\d+(?:,\d+)+")
"""Text without line breaks inside: an infinity with its sign, the versions of an address."""

MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps compiled templates where Python keeps compiled modules, under the same conditions; `kind` tells
    environments apart whose code differs."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Read the code of a template, if it is kept."""
        try:
            bucket.bytecode_from_string(self._path(bucket).read_bytes())
        except OSError:
            bucket.reset()

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Keep the code of a template, unless Python keeps none here."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):
            write_file(self._path(bucket), bucket.bytecode_to_string())

    def _path(self, bucket: jinja2.bccache.Bucket) -> Path:
        return TEMPLATES / "__pycache__" / f"{bucket.key}.{self.kind}.{sys.implementation.cache_tag}"


def rendered(template: str, **shown: Any) -> str:
    """Render a template of this package with its styles and scripts.

    template: its file name.
    shown:    its variables, of which `scripts` are names of further scripts."""
    style = _read("style.css", "pictures.css", *["model.css"] * bool(shown.get("models")))
    scripts = ["script.js"] * ("data" in shown) + ["follow.js"] * ("findings" in shown) + list(shown.get("scripts", ()))
    script = _read("theme.js", *scripts)
    policy = (f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'; "
              "form-action 'none'")
    return environment().get_template(template).render(
        verdicts=VERDICTS, symbols=SYMBOLS, style=Markup(style), script=Markup(script), policy=policy, **shown)


def notebook_output(item: Any, smallest: Any) -> str:
    """Render a finding and its smallest instance for a notebook."""
    return notebook_frame(environment().get_template("notebook.html.j2").render(
        item=item, smallest=smallest, case_numbers={}, symbols=SYMBOLS))


def notebook_pictures(*rows: Iterable[Any]) -> str:
    """Render rows of pictures for a notebook."""
    pictures = environment().get_template("macros.html.j2").module.pictures  # type: ignore[attr-defined]
    return notebook_frame("".join(pictures(list(row)) for row in rows))


def notebook_frame(body: str) -> str:
    """HTML for the output of a notebook cell, with the colours and the pictures' style of a page."""
    first, _, rest = _read("style.css").partition("*, *::before")
    light, dark = (re.search(rf"--paper: #{digit}.*?(?=\n *}})", first, re.DOTALL) for digit in "f1")
    assert rest and light and dark, "style.css begins with the colours of both themes"
    return (f'<div class="plumbline-output"><style>.plumbline-output {{ {light[0]}\n'
            f"{_read('notebook.css', 'pictures.css')}}}\n"
            f"body:is([data-jp-theme-light=false], .vscode-dark) .plumbline-output {{ {dark[0]} }}</style>\n"
            f"{body}</div>")


@cache
def environment(autoescape: bool = True) -> jinja2.Environment:
    """The cached environment of all templates."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=autoescape,
                                     trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
                                     bytecode_cache=CompiledTemplates("marked-up" if autoescape else "plain"))
    environment.filters.update(FILTERS)
    return environment


def _read(*names: str) -> str:
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def _digest(text: str) -> str:
    """A source expression for a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _by_verdict(cell: dict[str, CaseLine]) -> list[tuple[str, list[str]]]:
    """Output selections of a case grouped by verdict."""
    forms_of: dict[str, list[str]] = {}
    for form, line in cell.items():
        forms_of.setdefault(line.verdict, []).append(form)
    return list(forms_of.items())


def _linked(text: str) -> Markup:
    """Text with its web addresses as links."""
    pieces, end = [], 0
    for match in LINK.finditer(text):
        pieces += [escape(text[end:match.start()]), Markup('<a href="{0}" rel="noreferrer">{0}</a>').format(match[0])]
        end = match.end()
    return Markup("").join([*pieces, escape(text[end:])])


def _inline(text: str) -> Markup:
    """A line of Markdown as HTML, links and tags escaped."""
    return _whole(Markup(MARKDOWN.renderInline(text)))


def _whole(text: str) -> Markup:
    """Text or HTML with `UNBROKEN` parts kept whole."""
    return Markup(UNBROKEN.sub(r'<span class="whole">\g<0></span>', str(escape(text))))


def _breakable(addresses: str) -> Markup:
    """Addresses that may break before their version and their clause."""
    return Markup("<wbr>").join(map(_whole, re.split("(?=[@#])", addresses)))


FILTERS = {"inline": _inline, "whole": _whole, "breakable": _breakable, "linked": _linked, "measured": in_words,
           "by_verdict": _by_verdict, "anchor": anchor, "joined": joined, "count": count, "merge_labels": merge_labels,
           "xml": lambda text: Markup(html.escape(text)), "capital": lambda text: text[:1].upper() + text[1:],
           "local": local_of, "tone": lambda word: TONES.get(word, "soft"), "clipped": clipped, "repr": repr}
"""The filters of the templates by name."""
