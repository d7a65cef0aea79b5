"""The hand-written cases, each read once for all tests of a process."""

from __future__ import annotations

from functools import cache

from plumbline.cases import Case, load_cases


@cache
def written_cases() -> tuple[Case, ...]:
    """Return every case of the suite."""
    return tuple(load_cases())


@cache
def cases_of(*names: str) -> tuple[Case, ...]:
    """Return the cases of some specifications, which takes a twentieth of the time."""
    return tuple(load_cases(about=names))
