"""Locate the pages that the specifications of a family share, and read them in the words of one of these.

The front matter of a specification names them under `shares`, each with the words that take the places of its terms, as
``reductions: {since: 13}`` that of ``{since}`` in `families/reductions.md` beside the specification. One that a page
marks as optional, as in ``{since?}``, need not be given, and is then left out. ``{input}`` and ``{output}`` are the
first of each, unless they are given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plumbline.oracle.clause import SpecError

FOLDER = "families"

OWN = {"input": "inputs", "output": "outputs"}
"""Terms that the front matter gives anyway, by its key."""

TERM = re.compile(r"\{(\w+)(\??)\}")


def shared_pages(path: Path, front: Mapping[str, Any]) -> dict[Path, Mapping[str, Any]]:
    """Return the pages that the specification in the file `path` shares, each with the words for its terms."""
    first = {term: front[key][0] for term, key in OWN.items() if front.get(key)}
    return {path.parent / FOLDER / f"{name}.md": {**first, **(terms or {})}
            for name, terms in front.get("shares", {}).items()}


def with_terms(page: Path, text: str, terms: Mapping[str, Any]) -> str:
    """Return the text of a page with words in the places of terms. Raises SpecError for one too many or missing."""
    used = {match[1]: bool(match[2]) for match in TERM.finditer(text)}
    required = {name for name, is_optional in used.items() if not is_optional}
    if not required <= terms.keys() <= used.keys() | OWN.keys():
        raise SpecError(f"{page}:1: the page has the terms {', '.join(sorted(used)) or 'none'}, and is given "
                        f"{', '.join(sorted(terms.keys() - OWN.keys())) or 'none'}")
    return TERM.sub(lambda match: str(terms.get(match[1], "")), text)


def is_table(value: Any) -> bool:
    """Return True if a value of the front matter is the words by term, by the name of a page."""
    return isinstance(value, dict) and all(isinstance(name, str) and name.isidentifier() and
                                           isinstance(terms, dict | None) for name, terms in value.items())
