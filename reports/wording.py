"""Words for numbers, and for several labels at once."""

from __future__ import annotations

from collections.abc import Iterable


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "case"), count(20, "case")
    ('1 case', '20 cases')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed("abc")
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def together(labels: Iterable[str]) -> list[str]:
    """Labels with the versions of one backend together.

    >>> together(["toy 1", "other 3", "toy 2"])
    ['toy 1, 2', 'other 3']
    """
    found: dict[str, list[str]] = {}
    for label in labels:
        name, _, version = label.partition(" ")
        found.setdefault(name, []).append(version)
    return [f"{name} {', '.join(versions)}" for name, versions in found.items()]
