"""Finding, starting and isolating backends."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import (
    Answered,
    BackendError,
    Request,
    StartError,
    Worker,
    adapter_names,
    environments,
    find_backend,
    worker,
)
from plumbline.backends.environments import environment
from plumbline.cases import Case
from plumbline.cases.format.case import Expectation
from plumbline.oracle import Call
from plumbline.reports import summary_lines
from plumbline.reports.clauses import primary_clauses
from plumbline.trial import KnownDivergences


def test_a_package_can_be_installed_without_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the others, by a command of its own; a version is that of the first."""
    commands: list[list[object]] = []
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    monkeypatch.setattr(environments, "_make", lambda folder, requirements, steps: commands.extend(steps))
    environment("ncnn", find_backend("ncnn==1.0").requirements)
    assert [step[6:] for step in commands[1:]] == [["numpy", "ncnn==1.0"], ["--no-deps", "pnnx"]]


@pytest.mark.parametrize(("named", "says"), [
    ("onnxruntme", f"no backend is called 'onnxruntme'; did you mean 'onnxruntime'? (one of "
                   f"{', '.join(adapter_names())}, each"),
    ("onnxruntime==", "'' is no version; write onnxruntime==1.2.3"),
    ("onnxruntime==latest", "'latest' is no version"),
    ("a.b:", "no backend is called 'a.b:'"),
])
def test_a_name_that_is_no_backend_is_one_line(named: str, says: str) -> None:
    """With the names there are."""
    with pytest.raises(BackendError) as caught:
        find_backend(named)
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("line", "is_mistake"), [
    ("return request['data']", True), ("return {}.pop('data')", True), ("return nothing", True),
    ("return request + 1", True), ("return request.strides", True), ("return self.run()", True),
    ("return numpy.maximun(request, 0)", True),
    ("raise KeyError('data')", False), ("raise NotImplementedError", False), ("return json.loads('{')", False),
    ("return int('data')", False), ("return math.sqrt('data')", False), ("return ''.join([1])", False),
])
def test_a_mistake_of_the_adapter_is_told_from_a_refusal(line: str, is_mistake: bool, tmp_path: Path) -> None:
    """By the operation that failed in its own file: what is raised there or comes from below it is a refusal."""
    file = tmp_path / "mine.py"
    file.write_text(f"import json, math, numpy\nclass Mine:\n    def run(self, request):\n        {line}\n",
                    encoding="utf-8")
    adapter = worker.load_adapter(f"{file}:Mine")
    with pytest.raises(Exception) as caught:
        adapter.run({})
    assert worker.mistake_in(adapter, caught.value) == (f"mine.py:4: {line}" if is_mistake else "")


@pytest.mark.parametrize("lacking", ["name", "version", "run"])
def test_a_class_that_lacks_what_every_class_has_does_not_start(lacking: str, tmp_path: Path,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    """With the name of what is missing; without `run`, every call would be refused."""
    file = tmp_path / "mine.py"
    monkeypatch.chdir(tmp_path)
    parts = {"name": "name = 'mine'", "version": "version = '1'", "run": "run = None"}
    file.write_text("class Mine:\n" + "".join(f"    {line}\n" for name, line in parts.items() if name != lacking),
                    encoding="utf-8")
    with pytest.raises(BackendError, match=f"the class Mine has no `{lacking}`"):
        find_backend("mine:Mine").start()


@pytest.mark.parametrize(("named", "says"), [
    ("tests.suite.manners:DoesNotStart", "the library libmissing.so was not found"),
    ("tests.suite.manners:HasNoText", "NoTextError: its text cannot be made"),
])
def test_a_backend_that_does_not_start_says_why(named: str, says: str) -> None:
    """In one line with its place."""
    with pytest.raises(BackendError, match=r"did not start: exit status 1") as caught:
        find_backend(named).start()
    assert says in str(caught.value) and str(caught.value).count("\n") == 1


@pytest.mark.parametrize(("named", "says"), [
    ("tests.suite.fakes:Nobody", "tests.suite.fakes has no class Nobody"),
    ("no_such_package:Class", "No module named 'no_such_package' is installed here or in PYTHONPATH"),
    ("tests.suite.no_such_module:Class", "No module named 'tests.suite.no_such_module' is installed here or in"),
])
def test_a_module_or_class_that_there_is_not_is_told_without_a_traceback(named: str, says: str) -> None:
    """One line after the one that says which backend it is about."""
    with pytest.raises(BackendError) as caught:
        find_backend(named).start()
    first, second = str(caught.value).splitlines()
    assert first == f"{named}: did not start: exit status 1" and second.startswith(says)


def test_an_interpreter_that_is_none_is_said() -> None:
    """`--python` with something that does not run."""
    with pytest.raises(StartError, match="cannot start /no/python"):
        Worker("tests.suite.fakes:honest", Path("/no/python"))


def test_a_class_runs_in_the_interpreter_named() -> None:
    """`--python PATH` with package.module:Class."""
    worker = find_backend("tests.suite.fakes:honest", Path(sys.executable)).start()
    x = np.array([[[[1, 2], [3, 4]]]], dtype=np.int8)
    outcome = worker.run(Request(b"", "MaxPool", {"kernel_shape": [2, 2]}, 22, {"X": x}, ("Y", "Indices")))
    worker.close()
    assert isinstance(outcome, Answered)
    assert outcome.outputs["Y"].tolist() == [[[[4]]]] and outcome.outputs["Y"].dtype == np.int8


def test_an_environment_that_cannot_be_made_is_one_line() -> None:
    """And leaves nothing behind."""
    with pytest.raises(StartError, match="cannot make an environment with onnxruntime==0.0.0") as caught:
        environment("onnxruntime", ("onnxruntime==0.0.0",))
    assert "\n" not in str(caught.value)


def test_onnx_runtime_1_23_2_in_its_own_environment(sonnx_cases: list[Case], run_trial) -> None:
    """What the draft documents of that version, and what it does not: five examples diverge, two of them documented.

    The environment is made from the package registry the first time."""
    worker = find_backend("onnxruntime==1.23.2").start()
    assert worker.identity.version == "1.23.2"
    examples = [case for case in sonnx_cases if "example" in case.id]
    record = run_trial(worker, examples, KnownDivergences.load("onnxruntime", "1.23.2"))
    broken = {(line.id, line.form): [address.partition("#")[2] for address in primary_clauses(record, line)]
              for line in record.cases if line.verdict == "diverges"}
    assert broken == {
        ("float-example-3", "Y"): ["Y.F1"], ("float-example-3", "Y+Indices"): ["Y.F1", "Indices.F1"],
        ("float-example-4", "Y"): ["float.pads.F1"], ("float-example-4", "Y+Indices"): ["Indices.F1", "float.pads.F1"],
        ("int-example-2", "Y+Indices"): ["Indices.F1"], ("int-example-4", "Y+Indices"): ["Indices.F1"],
        ("int-example-5", "Y+Indices"): ["Indices.F1"]}
    assert {line.id for line in record.cases if line.known and line.known.documented} == {
        "float-example-3", "int-example-4"}
    assert all(line.known for line in record.cases if line.verdict != "conforms")
    assert "documented by the source itself: float-example-3, int-example-4" in summary_lines(record)


def test_a_cast_to_texts_comes_back_from_the_worker(run_trial) -> None:
    """The specification leaves the characters open: the result is told, and is no failure of the adapter."""
    host = find_backend("onnxruntime").start()
    call = Call("Cast", {"to": 8}, {"input": np.array([1, 25], np.int32)})
    case = Case("texts", "texts", "onnx/cast@13", 13, call, Expectation(), (), "a test", frozenset())
    record = run_trial(host, [case])
    host.close()
    assert record.cases[0].verdict == "observed" and "string" in record.cases[0].did, record.cases[0]
