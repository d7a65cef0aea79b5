"""The hand-written cases, read once for all tests of a process."""

from __future__ import annotations

from functools import cache

from plumbline.cases import Case, load_cases


@cache
def written_cases() -> tuple[Case, ...]:
    """Return every case of the suite."""
    return tuple(load_cases())
