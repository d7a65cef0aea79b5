"""What a run keeps of the processes that it starts: a mark on each, a folder for its temporary files, a supervisor.

`Child` is one process with all that it starts. It ends as a whole: its group is killed, and on Linux whatever carries
its mark. If this process ends first, `backends.supervisor` does it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from plumbline.backends import supervisor


class _Run:
    """The mark and the folder of this process, and the pipe whose end tells the supervisor that it is over."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = Path(tempfile.mkdtemp(prefix="plumbline-"))
        self.numbers = itertools.count()
        environment = {name: value for name, value in os.environ.items() if name != supervisor.VARIABLE}
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__, f"{self.mark}.", str(self.folder)], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=environment)

    def tell(self, text: str) -> None:
        """A line for the supervisor; one that somebody killed hears nothing."""
        with contextlib.suppress(OSError):
            self._supervisor.stdin.write(f"{text}\n".encode())


@cache
def _run() -> _Run:
    return _Run()


def _forked() -> None:
    """A copy of this process has a run of its own: while it held the pipe of this one, its end would not be seen."""
    if _run.cache_info().currsize:
        _run()._supervisor.stdin.close()
        _run.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def supervised() -> tuple[_Run, str]:
    """The run of this process, and a mark for one more process."""
    run = _run()
    return run, f"{run.mark}.{next(run.numbers)}."


@contextlib.contextmanager
def marked() -> Any:
    """Processes started in this context carry a mark, and end with this one. What is given is told their numbers."""
    run, mark = supervised()
    before = os.environ.get(supervisor.VARIABLE)
    os.environ[supervisor.VARIABLE] = mark
    try:
        yield lambda pid: run.tell(f"+{pid}")
    finally:
        os.environ.pop(supervisor.VARIABLE)
        if before is not None:
            os.environ[supervisor.VARIABLE] = before


class Child:
    """A process with all that it starts, in a session and with a folder for temporary files of its own; its command may
    be made for that folder. Raises OSError where it cannot be started."""

    def __init__(self, command: Sequence[str] | Callable[[Path], Sequence[str]], **streams: Any) -> None:
        self._run, self._mark = supervised()
        self.folder = self._run.folder / self._mark.split(".")[1]
        self.folder.mkdir()
        environment = {**os.environ, supervisor.VARIABLE: self._mark, "TMPDIR": str(self.folder)}
        try:
            words = command(self.folder) if callable(command) else command
            self.process = subprocess.Popen(words, start_new_session=True, env=environment, bufsize=0,
                                            **streams)
        except (OSError, subprocess.SubprocessError):
            self.remove()
            raise
        self._run.tell(f"+{self.process.pid}")

    def end(self) -> int:
        """Kill what is left of it; the exit status of the process."""
        supervisor.end(self.process.pid)
        supervisor.end_marked(self._mark)
        status = self.process.wait()
        self._run.tell(f"-{self.process.pid}")
        return status

    def remove(self) -> None:
        """Its folder, after `end`."""
        shutil.rmtree(self.folder, ignore_errors=True)
