"""Verified lists of known divergences: each entry by a frozen call or a written case, on the versions that it names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

from plumbline.backends import BackendError, Host, find_backend
from plumbline.cases import generate_cases
from plumbline.trial.known.frozen_calls import FrozenCall, calls_file, read_calls, write_calls
from plumbline.trial.known.register import FOLDER, KnownDivergences, KnownEntry, KnownError
from plumbline.trial.tools.verification import Verification, releases_to_try, verify_releases
from tests.suite.commands import plumbline as main

FAKE = "minus_four_for_minus_infinity"
NAME = FAKE.replace("_", "-")
WRONG = {"id": "wrong", "spec": "sonnx/maxpool", "verdict": "diverges", "clauses": ["Indices.F1"],
         "generated": ["lowest"], "dtypes": ["float32"], "reason": "It has always been so."}
NAMED = {**WRONG, "id": "named", "cases": {"float-example-3": ["Y+Indices"]}}
ABSENT = {**WRONG, "id": "absent", "generated": ["nan"], "dtypes": ["float64"]}
OLDER = {**NAMED, "id": "older", "versions": "<0"}


@pytest.fixture
def host() -> Iterator[Host]:
    """The fake that gives -4 for -inf."""
    host = find_backend(f"tests.suite.fakes:{FAKE}").start()
    yield host
    host.close()


def verification(folder: Path, *entries: dict[str, object]) -> Verification:
    """That of a list of the fake."""
    (folder / f"{NAME}.yaml").write_text(json.dumps({"backend": NAME, "divergences": list(entries)}), encoding="utf-8")
    return Verification(NAME, folder=folder)


def test_an_entry_stands_while_a_written_case_shows_it(tmp_path: Path, host: Host) -> None:
    """One that nothing shows is stale; one that excludes the version is stale when it is shown."""
    verified = verification(tmp_path, NAMED, ABSENT)
    named, absent = verified.run(host, verified.entries)
    assert named.shown == "sonnx/maxpool float-example-3 [Y+Indices]" and not named.is_stale
    assert absent.is_stale and str(absent).startswith("absent: nothing shows it on ")
    verified = verification(tmp_path, OLDER)
    older, = verified.run(host, verified.entries)
    assert older.is_stale and "which `versions` leaves out" in str(older)


def test_what_another_entry_claims_makes_no_entry_stale(tmp_path: Path, host: Host) -> None:
    """One that leaves the version out may describe the same results of others."""
    verified = verification(tmp_path, NAMED, OLDER)
    assert not any(finding.is_stale for finding in verified.run(host, verified.entries))


def test_releases_before_the_first_that_was_tried_are_left_out(tmp_path: Path,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """A list says nothing of them."""
    listed = {"backend": "fake", "tried": ["2.0", "3.0"], "divergences": [WRONG]}
    (tmp_path / "fake.yaml").write_text(json.dumps(listed), encoding="utf-8")
    said: list[str] = []

    def refused(name: str) -> Host:
        raise BackendError(name)

    monkeypatch.setattr("plumbline.trial.tools.verification.find_backend", refused)
    published = [Version(f"{number}.0") for number in range(1, 5)]
    assert not list(verify_releases(Verification("fake", folder=tmp_path), published, said.append))
    assert said == ["2.0: not tried: fake==2.0", "4.0: not tried: fake==4.0"]


@pytest.mark.parametrize("more", [{"verdict": "unstable"}, {"processors": "those with AVX512-FP16"}])
def test_what_chance_or_the_processor_decides_is_not_stale(more: dict[str, object], tmp_path: Path, host: Host) -> None:
    """That it is not seen proves nothing."""
    verified = verification(tmp_path, ABSENT | more)
    finding, = verified.run(host, verified.entries)
    assert not finding.shown and not finding.is_stale


def test_a_call_is_found_made_small_and_kept(tmp_path: Path, host: Host) -> None:
    """By the conditions of the entry; it is read back as it was, and shows the entry."""
    verified = verification(tmp_path, WRONG, ABSENT)
    wrong, absent = verified.entries
    call = verified.freeze(host, wrong)
    assert call is not None and verified.freeze(host, absent) is None
    assert call.inputs["X"] == {"dtype": "float32", "shape": [1, 1, 1, 1], "values": [[[[-np.inf]]]]}
    write_calls(NAME, {"wrong": call}, tmp_path)
    assert read_calls(NAME, tmp_path) == {"wrong": call}
    verified = verification(tmp_path, WRONG)
    finding, = verified.run(host, verified.entries)
    assert finding.shown == "sonnx/maxpool frozen-wrong [Y+Indices]"


def test_calls_outside_the_domain_are_put_in_no_context(tmp_path: Path, host: Host) -> None:
    """They have no outputs that other nodes could take; the search passes them by."""
    verified = verification(tmp_path, ABSENT | {"spec": "onnx/instancenormalization@22", "verdict": "crashes",
                                                "clauses": [], "contexts": ["cast"], "generated": ["empty"]})
    assert verified.freeze(host, *verified.entries) is None


@pytest.mark.parametrize("spec_name", ["onnx/conv@22", "onnx/cast@25", "onnx/concat@13", "onnx/where@16"])
def test_a_frozen_call_is_the_call(spec_name: str, tmp_path: Path) -> None:
    """Types, sizes, attributes and bits of every generated call, also of tensors without elements."""
    for case in generate_cases(spec_name, seed=3, count=24):
        if max((array.size for array in case.call.inputs.values()), default=0) > 1024:
            continue
        write_calls(NAME, {"one": FrozenCall.of(case, "y", "1")}, tmp_path)
        again = read_calls(NAME, tmp_path)["one"].case("one")
        assert {name: value if isinstance(value, (int, float, str)) else list(value)
                for name, value in again.call.attributes.items()} == {
                    name: value if isinstance(value, (int, float, str)) else list(value)
                    for name, value in case.call.attributes.items()}
        assert list(again.call.inputs) == list(case.call.inputs)
        for name, array in case.call.inputs.items():
            read = again.call.inputs[name]
            assert (read.dtype, read.shape) == (array.dtype, array.shape)
            assert str(read.tolist()) == str(array.tolist())  # which tells zeros apart, and holds NaN equal
        assert set(again.flags) == set(case.flags)


def test_a_large_call_is_not_kept() -> None:
    """The message says which input."""
    case = next(generate_cases("onnx/relu@14", seed=0, count=1))
    case.call.inputs["X"] = np.zeros(1025, np.float32)
    with pytest.raises(KnownError, match="too large to be kept: X has 1,025 elements"):
        FrozenCall.of(case, "Y", "1")


@pytest.mark.parametrize(("versions", "tried"), [
    ("", ["1.0", "4.0"]), ("<3", ["1.0", "2.0", "3.0"]), (">=2,<4", ["1.0", "2.0", "3.0", "4.0"]), (">5", [])])
def test_releases_at_the_ends_of_what_an_entry_claims(versions: str, tried: list[str]) -> None:
    """And one on either side, of those that are published."""
    entry = KnownEntry(**{**WRONG, "versions": versions} if versions else WRONG)
    assert sorted(releases_to_try(entry, [Version(f"{number}.0") for number in range(1, 5)])) == tried


def test_the_command_says_what_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With the exit statuses of other commands."""
    assert main(["known", "verify", "onnxruntime", "-k", "where-loses", "-v"]) == 0
    assert "stands where-loses-minus-zero: shown by onnx/where@16 special-values-float16" in capsys.readouterr().out
    assert main(["known", "verify", "onnxruntime@unoptimized", "-k", "where-loses"]) == 0  # its list is of that adapter
    assert capsys.readouterr().out.startswith("onnxruntime@unoptimized ")
    monkeypatch.setattr(KnownEntry, "verdicts", ("hangs",))
    assert main(["known", "verify", "onnxruntime", "-k", "where-loses-minus-zero-sonnx"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("stale  where-loses-minus-zero-sonnx: nothing shows it on ") and "1 entries, 1 stale" in out
    for arguments in (["nobody"], ["onnxruntime", "-k", "nothing-of-that-name"], ["onnxruntime==1.31.0", "--releases"]):
        assert main(["known", "verify", *arguments]) == 2


@pytest.mark.parametrize("path", sorted(FOLDER.glob("calls/*.yaml")), ids=lambda path: path.stem)
def test_frozen_calls_of_the_suite_meet_the_conditions_of_their_entries(path: Path) -> None:
    """And there is none without an entry."""
    entries = {entry.id: entry for entry in KnownDivergences.of_all_versions(path.stem).entries}
    assert calls_file(path.stem) == path
    for name, call in read_calls(path.stem).items():
        assert call.spec in entries[name].specs and entries[name].holds(call.shown)
        assert set(entries[name].generated or ()) <= set(call.case(name).flags)
