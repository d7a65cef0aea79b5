"""Fake implementations that leave something behind, or would not let go: what is their docstring.

They are put to the trial as ``tests.suite.leaving:NAME``. The file that PLUMBLINE_TEST_FILE names is told the number of
the process that has to end.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.suite.conduct import Counting
from tests.suite.fakes import Adapter
from tests.suite.naive import pool

FILE = "PLUMBLINE_TEST_FILE"


def tell() -> None:
    """The number of this process, all at once."""
    path = Path(os.environ[FILE])
    path.with_suffix(".new").write_text(str(os.getpid()), encoding="ascii")
    path.with_suffix(".new").rename(path)


class Leaving(Adapter):
    """Does something on each call, and tells the truth."""

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def run(self, request: SimpleNamespace) -> Any:
        """The truth."""
        self.leave()
        return pool(request)

    def leave(self) -> None:
        """What it does."""


class LeavesAChildOnThePipe(Counting):
    """Ends the process while a child of it holds the pipe."""

    def third(self) -> None:
        """The child sleeps."""
        if os.fork() == 0:
            time.sleep(600)
        os.kill(os.getpid(), signal.SIGSEGV)


class LeavesADaemon(Leaving):
    """Leaves a daemon in a session of its own, whose parent is not the worker."""

    def leave(self) -> None:
        """The usual two forks."""
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        os.setsid()
        if os.fork():
            os._exit(0)
        tell()
        time.sleep(600)


class LeavesAFolder(Leaving):
    """Leaves a temporary folder at each call, and dies."""

    def leave(self) -> None:
        """Nobody removes it."""
        Path(os.environ[FILE]).write_text(tempfile.mkdtemp(), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGSEGV)


class HoldsTheInterpreter(Leaving):
    """Never comes back from one call into C, so that no thread of it ever runs again."""

    def leave(self) -> None:
        """An expression that takes longer than the world."""
        tell()
        re.fullmatch("(a+)+b", "a" * 64)


class StopsItself(Leaving):
    """Stops, so that it hears no signal but the one that kills."""

    def leave(self) -> None:
        """Stops."""
        tell()
        os.kill(os.getpid(), signal.SIGSTOP)


class LogsWithoutEnd(Leaving):
    """Writes 32 MB to stderr, and dies."""

    def leave(self) -> None:
        """A first line, very many, and a last one."""
        os.write(2, b"loading libfoo.so\n")
        for _ in range(512):
            os.write(2, b"0123456789abcdef" * 4096)
        os.write(2, b"\nassertion failed\n")
        os.kill(os.getpid(), signal.SIGABRT)


class TellsItsLimit(Leaving):
    """Refuses with the limit of its memory."""

    def leave(self) -> None:
        """The one in force, and the one up to which it may be raised."""
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        raise RuntimeError(f"it may be raised: {soft != hard}")
