"""Doors of the folders, from the outside: what becomes of them when nobody reads their output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from plumbline.cases import Case
from plumbline.cases.__main__ import main
from plumbline.oracle.specification import SPEC_FOLDER
from tests.suite.fakes import FAKES

ROOT = SPEC_FOLDER.parent
DOORS = ("reports", "plumbline", "tests.power", "trial")


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


@pytest.mark.parametrize("door", DOORS)
def test_a_door_ends_in_silence_when_nobody_reads_its_output(door: str) -> None:
    """When the last of it is written: no traceback, and the status of a process that this signal ends."""
    assert unread([door, "--help"]) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("arguments", [["oracle", "explain", "sonnx/maxpool#Y.C1"], ["cases", "list"],
                                       ["backends", "list"]])
def test_a_door_ends_in_silence_in_the_middle_of_its_output(arguments: list[str]) -> None:
    """While it is at work; what it says of files that cannot be read is not said of its own output."""
    assert unread(arguments, "1") == (128 + signal.SIGPIPE, "")


def test_a_report_ends_in_silence_in_the_middle_of_its_output(sonnx_cases: list[Case], put_on_trial) -> None:
    """Likewise, of a record."""
    record = put_on_trial(FAKES["honest"](), sonnx_cases[:1])
    assert unread(["reports", "summary", str(record.path)], "1") == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("arguments", [["list", "--spec"], ["gaps", "--spec"], ["coverage"],
                                       ["export", "--format", "onnx-backend-test", "/no/folder", "--spec"]])
def test_a_pattern_that_names_no_specification_is_one_line(arguments: list[str],
                                                           capsys: pytest.CaptureFixture[str]) -> None:
    """Not an empty answer."""
    assert main([*arguments, "nope"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("no specification is called 'nope'; plumbline list shows all ")
