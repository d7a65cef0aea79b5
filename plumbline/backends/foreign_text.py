"""Make texts from a backend safe to print, and limit their length."""

from __future__ import annotations

NAME, TEXT, MESSAGE, SCRIPT = 80, 400, 3600, 5000
"""Most characters of a name or version, of another description of a backend, of a message or lines of stderr, and of
the lines of a script."""


def plain(text: object, limit: int = MESSAGE) -> str:
    """Escape unprintable characters, and drop the middle of long texts.

    limit: characters kept of the text; the escapes and the note on how many were dropped come on top.
    Line ends stay, and tabs become spaces."""
    text = str(text)
    if len(text) > limit:
        half = limit // 2
        text = f"{text[:half]} ({len(text) - 2 * half} characters are left out) {text[-half:]}"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
                   for letter in text.replace("\t", " "))


def one_line(text: object, limit: int = TEXT) -> str:
    """Return the plain text without line ends."""
    return plain(" ".join(str(text).split("\n")), limit)
