"""Supervise the processes that a run starts, and end them with it.

Each process has a mark in its environment and a folder for temporary files. `Child` is one process with all that it
starts. It ends as a whole: its group is killed, and on Linux whatever carries its mark. If this process ends first,
`plumbline.processes.supervisor` does that.
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
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from plumbline.processes import supervisor


def pipe_of(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return a pipe that subprocess.PIPE was asked for."""
    assert pipe is not None, "subprocess gives every pipe that it is asked for"
    return pipe


class _Run:
    """The mark and folder of this process, and its supervisor. The supervisor acts when the pipe to it is closed."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = Path(tempfile.mkdtemp(prefix="plumbline-"))
        self.numbers = itertools.count()
        environment = {name: value for name, value in os.environ.items() if name != supervisor.VARIABLE}
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__, f"{self.mark}.", str(self.folder)], bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=environment)
        self.pipe = pipe_of(self._supervisor.stdin)

    def tell(self, text: str) -> None:
        """Send the supervisor a line; one that was killed is ignored."""
        with contextlib.suppress(OSError):
            self.pipe.write(f"{text}\n".encode())


@cache
def _run() -> _Run:
    return _Run()


def _forked() -> None:
    """Give a copy of this process a run of its own.

    As long as the copy held the pipe of this run, the supervisor would not see the end of the run."""
    if _run.cache_info().currsize:
        _run().pipe.close()
        _run.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def supervised() -> tuple[_Run, str]:
    """Return the run, and a mark for one more process."""
    run = _run()
    return run, f"{run.mark}.{next(run.numbers)}."


@contextlib.contextmanager
def marked() -> Iterator[Callable[[int | None], None]]:
    """Mark processes that are started in this context.

    Call the function that it yields with the id of each process started."""
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
    """A process with all that it starts.

    It has a session and a folder for temporary files of its own; the command may be a function of that folder. Raises
    OSError if it cannot be started."""

    def __init__(self, command: Sequence[str] | Callable[[Path], Sequence[str]], **streams: Any) -> None:
        self._run, self._mark = supervised()
        self.folder = self._run.folder / self._mark.split(".")[1]
        self.folder.mkdir()
        environment = {**os.environ, supervisor.VARIABLE: self._mark, "TMPDIR": str(self.folder)}
        try:
            words = command(self.folder) if callable(command) else command
            self.process = subprocess.Popen(words, start_new_session=True, env=environment, bufsize=0, **streams)
        except (OSError, subprocess.SubprocessError):
            self.remove()
            raise
        self._run.tell(f"+{self.process.pid}")

    def end(self) -> int:
        """Kill what is left of it; return its exit status."""
        supervisor.end(self.process.pid)
        supervisor.end_marked(self._mark)
        status = self.process.wait()
        self._run.tell(f"-{self.process.pid}")
        return status

    def remove(self) -> None:
        """Remove its folder; call `end` before."""
        shutil.rmtree(self.folder, ignore_errors=True)
