"""The hand-written cases of a specification, read once for all tests of a process."""

from __future__ import annotations

from functools import cache

from plumbline.cases import Case, load_cases


@cache
def cases_of(*names: str) -> tuple[Case, ...]:
    """Return the cases of some specifications. To read those of all takes twenty times as long."""
    return tuple(load_cases(about=names))
