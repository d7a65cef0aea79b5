"""Bisection finds the neighbours between which a verdict changed, whichever releases cannot be tried."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from packaging.version import Version

import plumbline.commands.trial as door
from plumbline import backends
from plumbline.backends import BackendError, InProcess
from plumbline.backends.releases import releases
from plumbline.trial.tools import bisection
from plumbline.trial.tools.bisection import Attempt, BisectError, Change, between, chosen_case, find_change
from tests.suite.commands import plumbline
from tests.suite.fakes import Adapter
from tests.suite.naive import pool
from tests.suite.written import cases_of

NAMES = [f"1.{number}" for number in range(7)]

TEXTS = ("sonnx/maxpool", "sonnx/slice", "sonnx/unsqueeze")
"""Specifications whose cases are chosen from."""


def search(verdicts: list[str | None]) -> tuple[Change, list[str]]:
    """What is found where each release has that verdict (None: it cannot be tried), and what was tried."""
    tried = []

    def attempt(version: str) -> Attempt:
        tried.append(version)
        return Attempt(version, verdicts[NAMES.index(version)], "cannot be installed")
    return find_change(NAMES[:len(verdicts)], attempt), tried


@pytest.mark.parametrize("change", range(1, 7))
def test_one_change_is_found_wherever_it_is_and_whatever_cannot_be_tried(change: int) -> None:
    """Every set of releases that cannot be tried; no release is tried twice."""
    searches = 0
    for able in product([True, False], repeat=len(NAMES)):
        before = [name for name, can in zip(NAMES[:change], able[:change], strict=True) if can]
        after = [name for name, can in zip(NAMES[change:], able[change:], strict=True) if can]
        if not before or not after:
            continue
        verdicts = [("diverges" if number < change else "conforms") if able[number] else None
                    for number in range(len(NAMES))]
        found, tried = search(verdicts)
        assert found.changed and (found.before.version, found.after.version) == (before[-1], after[0])
        gap = NAMES[NAMES.index(before[-1]) + 1:NAMES.index(after[0])]
        assert list(found.between) == gap
        assert len(tried) == len(set(tried)) and set(gap) <= set(tried)
        searches += 1
    assert searches == (2 ** change - 1) * (2 ** (len(NAMES) - change) - 1)


def test_few_releases_are_tried() -> None:
    """Of seven, the two ends and one at each halving."""
    assert search(["a"] * 3 + ["b"] * 4)[1] == ["1.0", "1.6", "1.3", "1.1", "1.2"]


def test_a_third_verdict_in_between_is_a_change_too() -> None:
    """The neighbours found differ, whatever lies behind them."""
    found, _ = search(["a", "a", "b", "b", "c", "c", "c"])
    assert (found.before.verdict, found.after.verdict) in (("a", "b"), ("b", "c"))


def test_the_same_at_both_ends_is_no_change() -> None:
    """Nothing else is tried."""
    found, tried = search(["a", "b", "b", "b", "b", "b", "a"])
    assert not found.changed and tried == ["1.0", "1.6"]


@pytest.mark.parametrize("verdicts", [[None] * 7, [None, None, "a", None, None, None, None]])
def test_fewer_than_two_releases_cannot_be_compared(verdicts: list[str | None]) -> None:
    """It is said, and nothing is concluded."""
    with pytest.raises(BisectError, match="fewer than two releases"):
        search(verdicts)


@pytest.mark.parametrize(("text", "found"), [
    ("1.0..1.3", ["1.0", "1.2", "1.3"]), ("0.1..1.2.0", ["1.0", "1.2"]), ("1.2..1.10", ["1.2", "1.3", "1.10"])])
def test_versions_are_ordered_as_versions(text: str, found: list[str]) -> None:
    """Both ends count, also where they are no releases themselves."""
    assert between(text, [Version(name) for name in ("1.0", "1.2", "1.3", "1.10")]) == found


@pytest.mark.parametrize(("text", "says"), [
    ("1.0", "not of the form"), ("a..b", "not of the form"), ("1.3..1.0", "1.3 is not before 1.0"),
    ("1.0..1.1", "names 1 of the releases 1.0, 1.2; two are needed")])
def test_versions_that_cannot_be_read(text: str, says: str) -> None:
    """One line."""
    with pytest.raises(BisectError, match=says):
        between(text, [Version("1.0"), Version("1.2")])


@pytest.mark.parametrize(("arguments", "says"), [
    (("no-such-case", None, None), "no case is called 'no-such-case'"),
    (("nan-first", "sonnx/minpool", None), "no case is called 'nan-first'; it is a case of .*sonnx/maxpool"),
    (("three-axes", None, None), "is a case of sonnx/slice, sonnx/unsqueeze; name one with --spec"),
    (("nan-first", "sonnx/maxpool", "Z"), "has no form 'Z'; it has Y, Y\\+Indices")])
def test_a_case_that_is_not_one(arguments: tuple, says: str) -> None:
    """Absent, of another specification, of several, without the form."""
    with pytest.raises(BisectError, match=says):
        chosen_case(cases_of(*TEXTS), *arguments)


def test_the_form_is_by_default_the_one_with_every_output() -> None:
    """A form that is named is taken."""
    assert chosen_case(cases_of(*TEXTS), "nan-first", "sonnx/maxpool", None)[1] == "Y+Indices"
    assert chosen_case(cases_of(*TEXTS), "nan-first", "sonnx/maxpool", "Y")[1] == "Y"


@dataclass
class Release:
    """A backend of one release: 2.0 cannot be installed, 3.0 cannot answer, and up to there Y is one too large."""

    version: str

    def start(self) -> InProcess:
        """A host, unless there is none."""
        if self.version == "2.0":
            raise BackendError("fake==2.0: no such\nwheel")
        release = self

        class Fake(Adapter):
            """Lies in early releases."""

            name = "fake"

            def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
                """One too much, of no use, or the truth."""
                outputs = pool(request)
                early = Version(release.version) <= Version("3.0")
                return {**outputs, "Y": outputs["Y"] + 1 if early else outputs["Y"]} if release.version != "3.0" \
                    else {"Y": object()}
        return InProcess(Fake())


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five releases of a backend called fake."""
    monkeypatch.setattr(door, "releases", lambda name: [Version(f"{number}.0") for number in range(1, 6)])
    monkeypatch.setattr(bisection, "find_backend", lambda named: Release(named.removeprefix("fake==")))


@pytest.mark.gate(one_in=12)
def test_the_door_shows_each_release_and_the_neighbours(fakes: None, capsys: pytest.CaptureFixture) -> None:
    """What cannot be installed, or answers nothing that can be read, is skipped; status 0."""
    assert plumbline(["bisect", "fake", "--case", "one-by-one", "--spec", "sonnx/maxpool", "--form", "Y",
                      "--versions", "1.0..5.0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "fake, 5 releases, sonnx/maxpool one-by-one [Y]"
    assert lines[1] == "1.0          diverges (Y.F1)" and lines[2] == "5.0          conforms"
    assert lines[3].startswith("3.0          skipped: ")
    assert "2.0          skipped: fake==2.0: no such wheel" in lines
    assert lines[-3:] == ["changed between 1.0: diverges (Y.F1)", "            and 4.0: conforms",
                          "between them, and not tried: 2.0, 3.0"]


@pytest.mark.gate(one_in=12)
def test_the_door_says_that_nothing_changed(fakes: None, capsys: pytest.CaptureFixture) -> None:
    """Status 1; a search that cannot be done is status 2, with one line."""
    arguments = ["bisect", "fake", "--case", "one-by-one", "--spec", "sonnx/maxpool", "--versions"]
    assert plumbline([*arguments, "4.0..5.0"]) == 1
    assert "the same at both ends, 4.0 and 5.0: conforms" in capsys.readouterr().out
    assert plumbline([*arguments, "2.0..3.0"]) == 2
    assert capsys.readouterr().err == "fewer than two releases could be tried; name others with --versions\n"


def test_the_index_is_asked_with_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is read in the order of versions."""
    def run(command: list[str], **options: object) -> SimpleNamespace:
        assert command[1:] == ["-m", "pip", "--disable-pip-version-check", "index", "versions", "onnxruntime"]
        answer = "onnxruntime (1.10.0)\nAvailable versions: 1.10.0, 1.9.1\n"
        return SimpleNamespace(returncode=0, stderr="", stdout=answer)
    monkeypatch.setattr(backends.releases.subprocess, "run", run)
    assert releases("onnxruntime") == [Version("1.9.1"), Version("1.10.0")]


@pytest.mark.parametrize(("name", "says"), [
    ("nothing", "no backend is called 'nothing'"), ("onnxruntime==1.2", "has no releases to choose from"),
    ("package.module:Class", "has no releases to choose from")])
def test_what_has_no_releases(name: str, says: str) -> None:
    """A name that is none, one with a version, a class outside the clone."""
    with pytest.raises(BackendError, match=says):
        releases(name)


def test_an_index_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last error of pip is shown."""
    done = subprocess.CompletedProcess([], 1, "", "WARNING: slow\nERROR: No matching distribution\n")
    monkeypatch.setattr(backends.releases.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(BackendError, match="cannot ask for the releases of onnxruntime: ERROR: No matching"):
        releases("onnxruntime")
