"""The matrix from the outside: what is tried, what is kept, what becomes of it when it is ended; and whether a record
still holds."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plumbline.backends import find_backend, is_asked
from plumbline.oracle import load_spec
from plumbline.oracle.specification import SPEC_FOLDER, matches
from plumbline.trial import read_record
from plumbline.trial.run.record_validity import is_kept, status_of
from plumbline.trial.tools.matrix import EACH, SAMPLE, drawn
from tests.suite import small_records as small

ROOT = SPEC_FOLDER.parent
SPEC = "onnx/maxpool@1"


def matrix(folder: Path, *arguments: str, spec: str = SPEC) -> subprocess.Popen[str]:
    """A matrix of one specification that writes into `folder`."""
    command = [sys.executable, "-m", "plumbline", "matrix", "--report-dir", str(folder), "--spec", spec]
    return subprocess.Popen([*command, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a matrix that was ended while its second backend was at work; the first one was done."""
    folder = tmp_path_factory.mktemp("matrix")
    process = matrix(folder, "--workers", "1", "onnxruntime", "tests.suite.conduct:HangsOnThirdCall")
    deadline = time.monotonic() + 300
    while not any(folder.glob("HangsOnThirdCall-1*.jsonl.part")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate()
    assert process.returncode == 2 and err == "", err
    assert "onnxruntime" in out and " results  nothing new" in out
    return folder


@pytest.mark.gate(one_in=16)
def test_a_matrix_that_was_ended_goes_on_where_it_stopped(ended: Path) -> None:
    """What was done is kept, what was not is tried; what cannot be tried is told, and makes the status 2."""
    record = next(ended.glob("onnxruntime-*.jsonl"))
    before = record.stat().st_mtime_ns
    process = matrix(ended, "onnxruntime", "nobody", "tests.suite.manners:SpeaksOfAnother",
                     "tests.suite.conduct:Counting", "tests.suite.answering:Counting")
    out, err = process.communicate()
    lines = out.splitlines()
    assert process.returncode == 2 and err == ""
    assert record.stat().st_mtime_ns == before and lines[0].endswith("  kept")
    assert "no backend is called 'nobody'" in lines[1]
    assert lines[4].endswith("is the same as tests.suite.conduct:Counting")
    assert sum(" nothing new" in line for line in lines) == 1
    assert any("SpeaksOfAnother" in line and "can be asked about other/*, of which --spec " in line
               and line.endswith("not all of it could be done") for line in lines)
    assert "onnxruntime" in (ended / "matrix.html").read_text(encoding="utf-8")


@pytest.mark.gate(one_in=16)
def test_what_is_new_is_told_at_once(tmp_path: Path) -> None:
    """With its cause, so that a log of CI is enough."""
    process = matrix(tmp_path, "tests.suite.answering:TurnsTheBytes", spec="onnx/globalmaxpool@1")
    out, err = process.communicate()
    assert process.returncode == 1 and err == ""
    assert " results  something new or gone\n" in out
    assert re.search(r"\n\ntests.suite.answering:TurnsTheBytes\n(\d+) new; \1 of \d+ results", out)
    assert re.search(r"\n  1. new: rejects-valid onnx/globalmaxpool, \d+ results\n     KeyError: 'kernel_shape'\n", out)


@pytest.mark.gate(one_in=16)
def test_a_record_of_calls_in_contexts_is_found_and_kept(tmp_path: Path) -> None:
    """They are part of what its name and its digest are made of."""
    for said in (" results  nothing new", "  kept"):
        out, err = matrix(tmp_path, "onnxruntime", spec="onnx/shape@25").communicate()
        assert err == "" and said in out and "    0 results" not in out
    assert any(line.context for line in read_record(next(tmp_path.glob("*.jsonl"))).cases)


def test_a_seed_draws_the_sample() -> None:
    """Of newest versions; each backend can be asked about some of them, and an unknown name about none."""
    names = ["onnxruntime", "ncnn", "onnxruntime-nhwc", "nobody"]
    first, second = drawn(names, 1), drawn(names, 2)
    assert first == drawn(names, 1) != second
    for sample in (first, second):
        assert len(sample) == SAMPLE and all(load_spec(name).is_newest for name in sample)
        for named in names[:2]:
            patterns = find_backend(named).specifications or ()
            assert sum(is_asked(patterns, name) for name in sample) >= EACH
        assert any(name.startswith("ms.nhwc/") for name in sample)


def test_a_pattern_holds_alternatives() -> None:
    """Separated by commas, each with a version or without."""
    assert matches("onnx/relu@14", "sonnx/*,onnx/relu@14") and matches("sonnx/add", "onnx/relu@14,sonnx/*")
    assert matches("onnx/relu@13", "onnx/abs@1,onnx/relu") and not matches("onnx/relu@13", "onnx/relu@14,onnx/abs")


def test_the_seed_of_a_sample_is_printed_and_excludes_a_choice(tmp_path: Path) -> None:
    """With the specifications that it drew."""
    command = [sys.executable, "-m", "plumbline", "matrix", "--report-dir", str(tmp_path), "nobody"]
    done = subprocess.run([*command, "--seed", "7"], cwd=ROOT, capture_output=True, text=True)
    head, *lines = done.stdout.splitlines()
    assert head == f"a sample of {SAMPLE} specifications, by --seed 7 (--all tests all):" and done.returncode == 2
    assert tuple(line.strip() for line in lines[:SAMPLE]) == drawn(["nobody"], 7)
    for others in (["--seed", "7", "--all"], ["--all", "--spec", SPEC]):
        done = subprocess.run([*command, *others], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 2 and "give one of --all, --spec and --seed" in done.stderr


def as_it_was(header: dict[str, Any]) -> None:
    """Nothing else."""


def other_code(header: dict[str, Any]) -> None:
    """The code that judges is another one."""
    header["suite"]["digest"] = "0"


def other_known(header: dict[str, Any]) -> None:
    """Something else is known of the backend."""
    header["backend"]["known"] = "0"


def other_cases(header: dict[str, Any]) -> None:
    """A case was changed."""
    header["cases"]["digest"] = "0"


def other_text(header: dict[str, Any]) -> None:
    """A clause was changed."""
    header["specifications"][SPEC]["digest"] = "0"


def selected(header: dict[str, Any]) -> None:
    """Only some of it was tried."""
    header["selection"]["tried"] -= 1


@pytest.mark.gate(one_in=16)
def test_a_record_holds_as_long_as_nothing_changed(ended: Path, tmp_path: Path) -> None:
    """Each of what a verdict rests on is looked at."""
    record = read_record(next(ended.glob("onnxruntime-*.jsonl")))
    head, *rest = record.path.read_text(encoding="utf-8").splitlines(keepends=True)
    version, path = record.header.backend.version, tmp_path / "record.jsonl"
    for change in (as_it_was, other_code, other_known, other_cases, other_text, selected):
        header = json.loads(head)
        change(header)
        lines = [json.dumps(header) + "\n", *rest]
        path.write_text("".join(lines), encoding="utf-8")
        assert is_kept(path, "onnxruntime", version, [SPEC]) is (change is as_it_was), change.__doc__
        assert not is_kept(path, "", version, [SPEC]) and not is_kept(path, "onnxruntime", version, ["onnx/maxpool@8"])
        for some in (lines[:-1], lines[:5] + lines[6:]):
            path.write_text("".join(some), encoding="utf-8")
            assert not is_kept(path, "onnxruntime", version, [SPEC]), change.__doc__


def line(verdict: str, phase: str | None = None, **more: Any) -> dict[str, Any]:
    """A line of a record."""
    return small.line(verdict, verdict, phase=phase, **more)


@pytest.mark.parametrize(("tried", "lines", "gone", "status"), [
    (True, [line("conforms"), line("diverges", known=small.KNOWN)], [], 0),
    (True, [line("conforms"), line("diverges")], [], 1),
    (True, [line("conforms")], ["one"], 1),
    (True, [line("conforms"), line("diverges"), line("harness-error")], [], 2),
    (True, [line("rejects-valid", "load")], [], 1),
    (False, [line("conforms"), line("diverges")], ["one"], 0),
    (False, [line("observed"), line("rejects-valid", "load")], [], 0),
    (False, [line("observed", "load"), line("rejects-valid", "load"), line("unsupported", "run")], [], 2),
    (False, [line("unsupported", "run")], [], 0),
    (False, [line("conforms"), line("crashes")], [], 1),
])
def test_a_record_that_is_kept_has_the_status_of_its_run(tried: bool, lines: list[dict[str, Any]], gone: list[str],
                                                         status: int, tmp_path: Path) -> None:
    """News count for a version that was tried; one that no one has tried may refuse much, but not everything."""
    head = small.header("toy", "1")
    head["backend"]["tried"] = tried
    record = read_record(small.write(tmp_path / "record.jsonl", head, lines))
    assert status_of(replace(record, footer=record.footer.model_copy(update={"gone": gone}))) == status
