"""The conditions that set a cause apart from what conforms, in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from plumbline.reports.words import listed, parts
from plumbline.trial.record import CaseLine


def meaning(name: str, line: CaseLine, defined: Mapping[str, str]) -> str:
    """What a condition says of the calls of `line`: as the record defines it, or, for an element type, a form or an
    operator, in our words; "" where nobody defines it."""
    if name == line.dtype:
        return f"The input is {line.dtype}."
    if name == f"[{line.form}]":
        return f"{line.form.replace('+', ' and ')} {'are' if '+' in line.form else 'alone is'} asked for."
    if name == parts(line.spec)[0].rpartition("/")[2] and line.call:
        return f"The operator is {line.call.operator}."
    return defined.get(name, "")


def clause_of(name: str, text: str) -> str:
    """The beginning of a meaning as a clause, with the name behind it; the name alone where there is no meaning.

    >>> clause_of("padded", "Some pad is above zero. Runtimes differ in the constant.")
    'some pad is above zero (padded)'
    >>> clause_of("nan", "X holds a NaN.")
    'X holds a NaN (nan)'
    """
    first = re.split(r"[.;] ", text)[0].rstrip(".")
    if not first:
        return name
    word = first.split()[0]
    small = first[0].lower() + first[1:] if word.isalpha() and len(word) > 1 and word[1:].islower() else first
    return small if name.startswith("[") or name in small else f"{small} ({name})"


def in_words(conditions: Iterable[tuple[str, str]]) -> str:
    """(name, meaning) of some conditions as one clause that begins with "where"; "" for none."""
    said = [clause_of(name, text) for name, text in conditions]
    return f"where {listed(said)}" if said else ""
