"""Words that go with numbers."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "case"), count(20, "case")
    ('1 case', '20 cases')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
