"""Suggest the known names nearest to a mistyped one."""

from collections.abc import Iterable
from difflib import get_close_matches


def near(word: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return at most `count` known names that are most like a word, the nearest first."""
    return get_close_matches(word, list(dict.fromkeys(known)), count)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: ``; did you mean 'x'?``, or "" if nothing is near."""
    return "".join(f"; did you mean {name!r}?" for name in near(word, known))
