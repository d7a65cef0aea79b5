"""In which release of a backend did the verdict on a case change? A binary search, each release in its own environment.

It finds one change: where there are several between two releases, any of them; where the verdict changed and changed
back, none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion, Version

from plumbline.backends import BackendError, find_backend
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.run.session import Session, forms


class BisectError(ValueError):
    """A search that cannot be done; the text is one line."""


@dataclass(frozen=True)
class Tried:
    """One release. verdict: with the clauses that it rests on; None where the release could not be tried, and why."""

    version: str
    verdict: str | None
    why: str = ""

    def __str__(self) -> str:
        return f"{self.version:12} {self.verdict or f'passed over: {self.why}'}"


@dataclass(frozen=True)
class Found:
    """Two releases with, of all that could be tried, none between them; the first and the last where nothing changed.

    between: releases between them that could not be tried."""

    before: Tried
    after: Tried
    between: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether their verdicts differ."""
        return self.before.verdict != self.after.verdict


def find_change(versions: Sequence[str], attempt: Callable[[str], Tried]) -> Found:
    """The neighbours between which the verdict changed, `versions` being in order; a release that cannot be tried is
    passed over for its nearest neighbour. Raises BisectError when fewer than two can be tried."""
    tried: dict[int, Tried] = {}

    def first_of(places: Iterable[int]) -> int | None:
        for place in places:
            tried[place] = tried.get(place) or attempt(versions[place])
            if tried[place].verdict is not None:
                return place
        return None

    low = first_of(range(len(versions)))
    high = None if low is None else first_of(range(len(versions) - 1, low, -1))
    if low is None or high is None:
        raise BisectError("fewer than two releases could be tried; name others with --versions")
    if tried[low].verdict == tried[high].verdict:
        return Found(tried[low], tried[high])
    while True:
        middle = (low + high) // 2
        place = first_of(sorted(range(low + 1, high), key=lambda other: abs(other - middle)))
        if place is None:
            return Found(tried[low], tried[high], tuple(versions[low + 1:high]))
        if tried[place].verdict == tried[low].verdict:
            low = place
        else:
            high = place


def between(text: str, known: Sequence[Version]) -> list[str]:
    """Of the releases `known`, in order, those that ``"1.23.2..1.31.1"`` names, both ends included. Raises
    BisectError."""
    try:
        match = re.fullmatch(r"(\S+?)\.\.(\S+)", text)
        first, last = Version(match[1]), Version(match[2])
    except (TypeError, InvalidVersion):
        raise BisectError(f"--versions {text!r} is not of the form 1.23.2..1.31.1") from None
    if first >= last:
        raise BisectError(f"--versions {text!r}: {first} is not before {last}")
    found = [str(version) for version in known if first <= version <= last]
    if len(found) < 2:
        raise BisectError(f"--versions {text!r} names {len(found)} of the releases "
                          f"{', '.join(map(str, known)) or '(none)'}; two are needed")
    return found


def chosen_case(cases: Iterable[Case], case_id: str, spec: str | None, form: str | None) -> tuple[Case, str]:
    """The case, and the form: by default the one that asks for every output. Raises BisectError."""
    called = [case for case in cases if case.id == case_id]
    found = [case for case in called if spec in (None, case.spec)]
    if not found:
        where = f" of {spec}" if spec is not None and not called else ""
        instead = f"; it is a case of {', '.join(case.spec for case in called)}" if called else ""
        raise BisectError(f"no case{where} is called {case_id!r}{instead}; plumbline cases list shows them all")
    if len(found) > 1:
        raise BisectError(f"{case_id!r} is a case of {', '.join(case.spec for case in found)}; name one with --spec")
    known = forms(load_spec(found[0].spec))
    if form is not None and form not in known:
        raise BisectError(f"{found[0].spec} has no form {form!r}; it has {', '.join(known)}")
    return found[0], form or known[-1]


class _Unwritten:
    """Stands where a record would be written."""

    def case(self, line: dict[str, Any]) -> None:
        """The line is not kept."""


def try_release(name: str, version: str, case: Case, form: str, time_limit: float) -> Tried:
    """One release on one case in one form, in an environment made for it when there is none."""
    try:
        host = find_backend(f"{name}=={version}").start()
    except BackendError as error:
        return Tried(version, None, " ".join(str(error).split()))
    try:
        verdict = Session(host, KnownDivergences(), _Unwritten(), time_limit).submit(case, form).verdict
    finally:
        host.close()
    if verdict.verdict == "harness-error":
        return Tried(version, None, verdict.did)
    clauses = ", ".join(address.partition("#")[2] for address in verdict.clauses)
    return Tried(version, f"{verdict.verdict} ({clauses})" if clauses else verdict.verdict)
