"""Doors of the folders, from the outside: what becomes of them when nobody reads their output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from plumbline.backends.declarations import ADAPTER_FOLDER, adapter_names, declared_by
from plumbline.cases import Case
from plumbline.cases.format.schema import SCHEMA_FILE as CASE_SCHEMA
from plumbline.commands.base import message, run
from plumbline.commands.main import commands
from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.trial.known import register_file
from tests.suite.commands import cases as main
from tests.suite.fakes import FAKES

ROOT = SPEC_FOLDER.parent
DOORS = ("plumbline", "tests.faults", "tests.bench")
"""Those that need no more than `make test` installs; `tests/notebooks` tries that of the notebooks."""


def unread(arguments: list[str], unbuffered: str = "") -> tuple[int, str]:
    """The exit status and stderr of a door whose output nobody reads, as when `head` has had enough."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE,
                              env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, text=True, check=False)
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("door", DOORS)
def test_a_door_ends_in_silence_when_nobody_reads_its_output(door: str) -> None:
    """When the last of it is written: no traceback, and the status of a process that this signal ends."""
    assert unread([door, "--help"]) == (128 + signal.SIGPIPE, "")


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("arguments", [["explain", "sonnx/maxpool#Y.C1"], ["cases", "list"], ["backends", "list"]])
def test_a_door_ends_in_silence_in_the_middle_of_its_output(arguments: list[str]) -> None:
    """While it is at work; what it says of files that cannot be read is not said of its own output."""
    assert unread(["plumbline", *arguments], "1") == (128 + signal.SIGPIPE, "")


def test_a_report_ends_in_silence_in_the_middle_of_its_output(sonnx_cases: list[Case], run_trial) -> None:
    """Likewise, of a record."""
    record = run_trial(FAKES["honest"](), sonnx_cases[:1])
    assert unread(["plumbline", "report", "summary", str(record.path)], "1") == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("arguments", [["list", "--spec"], ["gaps", "--spec"], ["coverage"],
                                       ["export", "--format", "onnx-backend-test", "/no/folder", "--spec"]])
def test_a_pattern_that_names_no_specification_is_one_line(arguments: list[str],
                                                           capsys: pytest.CaptureFixture[str]) -> None:
    """Not an empty answer."""
    assert main([*arguments, "nope"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("no specification is called 'nope'; plumbline list shows all ")


@pytest.mark.parametrize(("arguments", "says"), [
    (["confromance"], "plumbline: no command is called 'confromance'; did you mean 'conformance'? See"),
    (["report", "latest"], "'latest' is a record; a command comes first, as in 'plumbline report html latest'."),
    (["net.onnx"], "'net.onnx' is a model; a command comes first, as in 'plumbline model net.onnx'."),
    (["doctor"], "plumbline: no command is called 'doctor'; did you mean 'backends doctor'? See"),
    (["cases", "lnt"], "plumbline cases: no command is called 'lnt'; did you mean 'lint'? See"),
    (["list", "onnx/rleu"], "no specification is called 'onnx/rleu'; did you mean"),
    (["list", "Gelu"], "no specification is called 'Gelu'; did you mean onnx/gelu"),
    (["explain", "MaxPool@22"], "'MaxPool@22'; did you mean onnx/maxpool@22, "),
    (["check", "docs/net.onnx", "--spec", "layernorm"], "'layernorm'; did you mean onnx/layernormalization? "),
    (["list", "onnx/nope*"], "onnx/nope* matches no specification; "),
    (["explain", "onnx/relu"], "clauses; name one, as in onnx/relu@14#signature.C1; plumbline list onnx/relu@14"),
    (["explain", "sonnx/maxpool#Indces.F2"], "no clause 'sonnx/maxpool#Indces.F2'; did you mean 'Indices.F2'?"),
    (["campaign", "--spec", "onnx/relu", "--backend", "onnxruntime", "--calls", "1"],
     "onnx/relu has several versions; name one of onnx/relu@1, onnx/relu@6, onnx/relu@13, onnx/relu@14"),
    (["bisect", "onnxruntime", "--case", "lowest-itn8", "--spec", "sonnx/abs", "--versions", "1.0..1.1"],
     "did you mean 'lowest-int8'?"),
])
def test_a_mistyped_name_is_answered_with_the_nearest(arguments: list[str], says: str,
                                                      capsys: pytest.CaptureFixture[str]) -> None:
    """In one line."""
    assert run(commands, arguments, "plumbline") == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_a_glob_lists_the_specifications_that_match(capsys: pytest.CaptureFixture[str]) -> None:
    """As --spec takes it; a name lists clauses."""
    assert run(commands, ["list", "onnx/relu@1*"], "plumbline") == 0
    assert capsys.readouterr().out.split() == ["onnx/relu@1", "onnx/relu@13", "onnx/relu@14"]


@pytest.mark.parametrize(("word", "says"), [
    ("diverges", "diverges (verdict)\n  the outputs break a clause\n"),
    ("onnx-same-ignores-dilation", "-dilation (known divergence of onnxruntime)\n  With auto_pad SAME the padding"),
    ("threads", "threads (context)\n  The runtime uses several threads."),
    ("pad-reaches-kernel", "pad-reaches-kernel (flag)\n  Some pad is at least the kernel on its axis."),
    ("lowest-finite", "lowest-finite (symptom)\n"),
])
def test_words_of_summaries_are_explained(word: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary prints ids and flags; explain takes them as it takes addresses of clauses."""
    assert run(commands, ["explain", word], "plumbline") == 0
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(("name", "file"), [
    ("case", CASE_SCHEMA), ("known", register_file.SCHEMA_FILE),
    ("protocol", ADAPTER_FOLDER.parent / "protocol.schema.json")])
def test_schemas_are_printed(name: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are committed: who installed the package has no clone to look into."""
    assert run(commands, ["schema", name], "plumbline") == 0
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


def test_the_schema_of_capabilities_takes_what_adapters_declare(capsys: pytest.CaptureFixture[str]) -> None:
    """And no key that does not exist."""
    assert run(commands, ["schema", "capabilities"], "plumbline") == 0
    validator = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    declared = [entry.model_dump(mode="json", exclude_none=True) for name in adapter_names()
                for entry in declared_by(name).capabilities or ()]
    assert len(declared) > 10 and validator.is_valid(declared)
    assert not validator.is_valid([{"operator": ["MaxPool"]}])


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("option", "says"), [("--bakend=x", "no such option: --bakend; did you mean --backend?"),
                                              ("--frob", "no such option: --frob")])
def test_an_option_that_nobody_has_is_one_line(option: str, says: str, tmp_path: Path) -> None:
    """By the command and by pytest, which has an exit status of its own for it."""
    for words, status in (["plumbline", "conformance"], 2), (["pytest", "--pyargs", "plumbline.conformance"], 4):
        done = subprocess.run([sys.executable, "-m", *words, option], cwd=tmp_path, capture_output=True, text=True,
                              check=False)
        assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (status, "", f"ERROR: {says}")


@pytest.mark.parametrize("arguments", [["conformance", "--backend"], ["campaign", "--calls"]])
def test_a_value_that_is_missing_is_said_of_its_command(
        arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """With the help that is of use."""
    assert run(commands, arguments, "plumbline") == 2
    command, option = arguments
    assert capsys.readouterr().err == (f"plumbline {command}: Option '{option}' requires an argument. "
                                       f"See 'plumbline {command} --help'.\n")


def test_a_machine_without_memory_is_no_fault_of_the_suite() -> None:
    """As under a limit of address space."""
    assert message(MemoryError()) == "not enough memory"
    assert message(MemoryError("Unable to allocate 3 GiB")) == "not enough memory: Unable to allocate 3 GiB"
