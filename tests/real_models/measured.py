"""Run a command, and measure its time and memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment without the variable that keeps Python from storing what it compiles, as pip does on installation."""


@dataclass(frozen=True)
class Measured:
    """A command that ended.

    output:    what it wrote to stdout.
    problem:   the last line of stderr, "" if there is none.
    seconds:   by the clock.
    processor: processor seconds.
    megabytes: the most resident memory.
    """

    status: int
    output: bytes
    problem: str
    seconds: float
    processor: float
    megabytes: float


def measured(command: Sequence[str]) -> Measured:
    """Run a command to its end."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=error, env=AS_INSTALLED)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        out.seek(0)
        error.seek(0)
        lines = error.read().decode(errors="replace").strip().splitlines()
        return Measured(process.returncode, out.read(), lines[-1] if lines else "", seconds,
                        used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
