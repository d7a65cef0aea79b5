"""Texts that come from a backend: none of them harms a terminal, a file or a page, or is longer than it may be."""

from __future__ import annotations

from typing import Any

NAME, TEXT, MESSAGE = 80, 400, 3600
"""Characters of a name or a version, of what else describes a backend, of a message or of lines of stderr."""


def plain(text: object, limit: int = MESSAGE) -> str:
    """A text in which what cannot be printed is written as an escape. Of a longer one the beginning and the end, with
    the number of characters between them."""
    text = str(text)
    if len(text) > limit:
        kept = limit // 2
        text = f"{text[:kept]} ({len(text) - 2 * kept} characters are left out) {text[-kept:]}"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
                   for letter in text.replace("\t", " "))


def one_line(text: object, limit: int = TEXT) -> str:
    """The same without ends of lines."""
    return plain(" ".join(str(text).split("\n")), limit)


def plain_identity(identity: dict[str, Any]) -> dict[str, Any]:
    """How a backend describes itself, as any of the hosts gives it; lines of a script only when they are whole. Raises
    what wrong data makes the readers raise."""
    return {**identity, "name": one_line(identity["name"], NAME), "version": one_line(identity["version"], NAME),
            "about": {one_line(key, NAME): one_line(text) for key, text in identity["about"].items()},
            **{key: plain(text) if len(text := identity.get(key, "")) <= MESSAGE else ""
               for key in ("reproduce", "reproduce_as_set")},
            "not_implemented": [one_line(mark) for mark in identity.get("not_implemented", ())],
            "specifications": [one_line(pattern, NAME) for pattern in identity["specifications"]]}
