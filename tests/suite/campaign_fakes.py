"""Fakes for campaigns: wrong for some calls, whoever is asked and when; ended, hung or held up by others."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.suite.fakes import Adapter
from tests.suite.naive import pool

FOLDER = "PLUMBLINE_TEST_FOLDER"
"""Names the variable of the environment that says where `HeldUp` leaves word."""

PATIENCE = 60.0
"""Seconds after which one who is held up goes on, so that no test can wait for ever."""


class Faulty(Adapter):
    """Y is all zeros where X begins with a number below zero, and where it begins with zero the call is refused."""

    name = "faulty"
    reproduce = "got = []"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """The truth, but for these."""
        first = request.inputs["X"].ravel()[0]
        if first == 0:
            raise ValueError("no kernel for this")
        found = pool(request)
        if first < 0:
            found["Y"] = np.zeros_like(found["Y"])
        return found


class OnlyInt8(Faulty):
    """`Faulty`, which declares int8 alone and refuses all other types."""

    name = "only-int8"
    capabilities = ({"operators": ["MaxPool"], "dtypes": ["int8"]},)

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """As `Faulty`, if the type is the declared one."""
        if request.inputs["X"].dtype != np.int8:
            raise ValueError("only int8 is supported")
        return super().run(request)


class OnlyOldVersions(OnlyInt8):
    """`OnlyInt8`, which declares versions before 10 alone."""

    capabilities = ({"operators": ["MaxPool"], "dtypes": ["int8"], "opsets": [1, 9]},)


class Deadly(Faulty):
    """Ends its process where the first element of X is above all others, and never ends, holding the interpreter, where
    the last is."""

    name = "deadly"

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """As `Faulty`, but for these."""
        highest = peak(request.inputs["X"])
        if highest == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        if highest == -1:
            re.fullmatch("(a+)+b", "a" * 64)
        return super().run(request)


def peak(x: np.ndarray) -> int | None:
    """0 where the first element is above all others, -1 where the last is, None elsewhere."""
    others = {0: x.ravel()[1:], -1: x.ravel()[:-1]}
    with np.errstate(invalid="ignore"):
        return next((place for place, rest in others.items() if rest.size and (x.ravel()[place] > rest).all()), None)


class HeldUp(Faulty):
    """After 40 calls in one process (of which a campaign puts some twice, so that a shard of 5 is done) it leaves word
    in the folder, ``PID.held``, and waits there for a file ``go``."""

    name = "faulty"

    def __init__(self) -> None:
        self._calls = 0
        self._folder = Path(os.environ[FOLDER])

    def run(self, request: SimpleNamespace) -> dict[str, Any]:
        """As `Faulty`, in the end."""
        self._calls += 1
        if self._calls == 40:
            (self._folder / f"{os.getpid()}.held").touch()
            end = time.monotonic() + PATIENCE
            while not (self._folder / "go").exists() and time.monotonic() < end:
                time.sleep(0.02)
        return super().run(request)


class AnotherVersion(Faulty):
    """`Faulty`, of another version in each process."""

    name = "faulty"

    def version(self) -> str:
        """The number of the process."""
        return str(os.getpid())


class RefusesToLoad:
    """Cannot be made."""

    requirements = ()

    def __init__(self) -> None:
        raise ImportError("libmissing.so was not found")


class DeafToAlarms(Deadly):
    """`Deadly`, with a handler of its own for the signal by which a process is told that its time is up."""

    name = "deadly"

    def __init__(self) -> None:
        signal.signal(signal.SIGALRM, lambda number, frame: None)
