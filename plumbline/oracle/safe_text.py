"""Make text from backends and files safe to show."""

from __future__ import annotations

import re
from typing import Any

LONGEST = 4000
"""Characters kept of one text."""

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
                    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0"
                    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
                    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")
"""Control characters, those that reorder or hide text or are not seen, and half surrogates: in Unicode's terms the
categories Cc, Cf, Cs, Zl and Zp, and what is ignorable by default but for the selectors of forms such as emoji."""


def safe(text: str, lines: bool = False, longest: int = LONGEST) -> str:
    """Return a text with unsafe characters escaped, cut if too long; on one line unless `lines`.

    >>> safe("a\\x1b[31mb\\nc")
    'a\\\\x1b[31mb c'
    """
    if len(text) > longest and not is_cut(text):
        text = f"{text[:longest]} [{len(text) - longest} more characters]"
    if lines:
        return UNSAFE.sub(lambda found: found[0] if found[0] in "\n\t" else _escape(found), text)
    return UNSAFE.sub(lambda found: " " if found[0] in "\n\t" else _escape(found), text)


def is_cut(text: str) -> bool:
    """Return True for a text that `safe` has cut."""
    return len(text) > LONGEST and " more characters]" in text[-40:]


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def safe_values(value: Any) -> Any:
    """Nested lists and dicts with all text in them made safe."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, list | tuple):
        return [safe_values(item) for item in value]
    return {safe_values(name): safe_values(item) for name, item in value.items()} if isinstance(value, dict) else value
