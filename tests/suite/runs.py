"""Conformance runs as tests make them: in a copy of this process, which has everything loaded, or in a new one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from plumbline.oracle.specification import SPEC_FOLDER, load_spec, spec_names
from plumbline.trial import Record, read_record

ROOT = SPEC_FOLDER.parent
EXAMPLES = "cases/sonnx/maxpool/examples.yaml"


def arguments(folder: Path, *options: str) -> list[str]:
    """The arguments of pytest for a run that writes into `folder`."""
    return ["tests/conformance", "-q", "-p", "no:cacheprovider", "--tb=short", "--report-dir", str(folder), *options]


@cache
def _load_specifications() -> None:
    """Read every specification, so that copies of this process need not."""
    for name in spec_names():
        load_spec(name)


def conformance(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run to the end in a copy of this process; `stdout` of the result is all that the run printed."""
    _load_specifications()
    words = arguments(folder, *options)
    with tempfile.TemporaryFile("w+", buffering=1, encoding="utf-8") as printed:  # memory would stay with the copy
        with (contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), contextlib.chdir(ROOT),
              mock.patch.object(sys, "argv", ["pytest", *words])):
            status = pytest.main(words)
        printed.seek(0)
        return subprocess.CompletedProcess(words, int(status), printed.read(), "")


def started(folder: Path, *options: str, **more: Any) -> subprocess.Popen[str]:
    """Start a run in a process of its own, to which signals can be sent."""
    return subprocess.Popen([sys.executable, "-m", "pytest", *arguments(folder, *options)], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def only(folder: Path, pattern: str = "*.jsonl*") -> Path:
    """The one file of that name."""
    path, = folder.glob(pattern)
    return path


def only_record(folder: Path) -> Record:
    """The single record that a run wrote, finished or not."""
    return read_record(only(folder))


def wait_for_lines(folder: Path, count: int) -> None:
    """Wait until the record that a run is writing has so many lines."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        path = next(folder.glob("*.jsonl*"), None)
        if path is not None and path.read_text(encoding="utf-8").count("\n") >= count:
            return
        time.sleep(0.05)
    raise TimeoutError(f"no record of {count} lines in {folder}")
