"""Find the release of a backend that changed the verdict on a case.

The search is binary, and each release has its own environment. It finds one change: any of several, and none if the
verdict changed and changed back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from plumbline.backends import BackendError, find_backend
from plumbline.cases import Case, load_cases, read_cases
from plumbline.cases.format.loader import case_files
from plumbline.cases.format.variants import possible_ids
from plumbline.cases.format.withdrawn import current_id, withdrawn
from plumbline.cases.generate.run_cases import replacements
from plumbline.oracle import load_spec
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.files import read_text
from plumbline.oracle.specification import matches, names_matching, spec_names
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.recording import MemoryWriter
from plumbline.trial.run.forms import forms
from plumbline.trial.run.session import Session


class BisectError(ValueError):
    """A search that cannot be done; the text is one line."""


@dataclass(frozen=True)
class Attempt:
    """The result of one release.

    verdict: with its clauses; None if the release could not be run.
    why:     why it could not be run.
    """

    version: str
    verdict: str | None
    why: str = ""

    def __str__(self) -> str:
        return f"{self.version:12} {self.verdict or f'skipped: {self.why}'}"


@dataclass(frozen=True)
class Change:
    """Two releases with no other between them that could be run.

    They are the first and the last if the verdict did not change.

    between: releases between them that could not be run.
    """

    before: Attempt
    after: Attempt
    between: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """True if their verdicts differ."""
        return self.before.verdict != self.after.verdict


def find_change(versions: Sequence[str], attempt: Callable[[str], Attempt]) -> Change:
    """Return the releases between which the verdict changed.

    versions: in order. In place of a release that cannot be run, its nearest neighbour is.
    attempt:  runs the case on a release.

    Raises BisectError if fewer than two can be run."""
    attempts: dict[int, Attempt] = {}

    def first_of(places: Iterable[int]) -> int | None:
        for place in places:
            attempts[place] = attempts.get(place) or attempt(versions[place])
            if attempts[place].verdict is not None:
                return place
        return None

    low = first_of(range(len(versions)))
    high = None if low is None else first_of(range(len(versions) - 1, low, -1))
    if low is None or high is None:
        raise BisectError("fewer than two releases could be tried; name others with --versions")
    if attempts[low].verdict == attempts[high].verdict:
        return Change(attempts[low], attempts[high])
    while True:
        middle = (low + high) // 2
        place = first_of(sorted(range(low + 1, high), key=lambda other: abs(other - middle)))
        if place is None:
            return Change(attempts[low], attempts[high], tuple(versions[low + 1:high]))
        if attempts[place].verdict == attempts[low].verdict:
            low = place
        else:
            high = place


def between(text: str, known: Sequence[Version]) -> list[str]:
    """Return the `known` releases in a range such as ``"1.23.2..1.31.1"``.

    Both ends are included, and `known` is in order. Raises BisectError."""
    try:
        begin, _, end = text.partition("..")
        first, last = Version(begin), Version(end)
    except InvalidVersion:
        raise BisectError(f"--versions {text!r} is not of the form 1.23.2..1.31.1") from None
    if first >= last:
        raise BisectError(f"--versions {text!r}: {first} is not before {last}")
    versions = [str(version) for version in known if first <= version <= last]
    if len(versions) < 2:
        raise BisectError(f"--versions {text!r} names {len(versions)} of the releases "
                          f"{', '.join(map(str, known)) or '(none)'}; two are needed")
    return versions


def cases_with(case_id: str, spec: str | None, paths: Iterable[Path] | None = None) -> list[Case]:
    """Return cases that `chosen_case` can choose from: those of the files that hold the id, else those it may mean."""
    names = names_matching(spec) if spec is not None else spec_names()
    without = [name for name in names if case_id in withdrawn(name)]
    some, _ = read_cases(file for file in case_files(paths) if _may_hold(file, case_id))
    if not without and any(case.id == case_id for case in some):
        return some
    cases = load_cases(paths, names if spec is not None else None)
    return [*cases, *(case for name in without for case in replacements(name, cases))]


def _may_hold(file: Path, case_id: str) -> bool:
    try:
        return case_id in possible_ids(read_text(file))
    except OSError:
        return True  # reading its cases reports it


def chosen_case(cases: Sequence[Case], case_id: str, spec: str | None, form: str | None) -> tuple[Case, str]:
    """Return a case and a form, by default that of every output. Raises BisectError."""
    namesakes = [case for case in cases if case.id == current_id(case.spec, case_id)]
    matching = [case for case in namesakes if spec is None or matches(case.spec, spec)]
    if not matching:
        where = f" of {spec}" if spec is not None and not namesakes else ""
        instead = f"; it is a case of {', '.join(case.spec for case in namesakes)}" if namesakes else ""
        instead = instead or did_you_mean(case_id, [case.id for case in cases])
        raise BisectError(f"no case{where} is called {case_id!r}{instead}; plumbline cases list shows them all")
    if len(matching) > 1:
        raise BisectError(f"{case_id!r} is a case of {', '.join(case.spec for case in matching)}; "
                          "name one with --spec")
    case, = matching
    allowed = forms(load_spec(case.spec))
    if form is not None and form not in allowed:
        raise BisectError(f"{case.spec} has no form {form!r}; it has {', '.join(allowed)}")
    return case, form or allowed[-1]


def try_release(name: str, version: str, case: Case, form: str, time_limit: float) -> Attempt:
    """Run one release on one case in one form."""
    try:
        host = find_backend(f"{name}=={version}").start()
    except BackendError as error:
        return Attempt(version, None, " ".join(str(error).split()))
    try:
        verdict = Session(host, KnownDivergences(), MemoryWriter(), time_limit).submit(case, form).verdict
    finally:
        host.close()
    if verdict.verdict == "harness-error":
        return Attempt(version, None, verdict.did)
    clauses = ", ".join(address.partition("#")[2] for address in verdict.clauses)
    return Attempt(version, f"{verdict.verdict} ({clauses})" if clauses else verdict.verdict)
