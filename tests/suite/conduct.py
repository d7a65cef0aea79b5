"""Fake implementations whose outputs are true and whose conduct is not: what they do is their docstring.

They are put to the trial as ``tests.suite.conduct:NAME``.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from types import SimpleNamespace

import numpy as np

from tests.suite.fakes import Adapter, refuses
from tests.suite.naive import pool


class Counting(Adapter):
    """Does something else on the third call, and tells the truth on all others."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, but for the third call."""
        self.calls += 1
        if self.calls == 3:
            self.third()
        return pool(request)

    def third(self) -> None:
        """What happens on the third call."""


class CrashesOnThirdCall(Counting):
    """Dies by a segmentation fault."""

    name = "crashes-on-third-call"

    def third(self) -> None:
        """Dies."""
        os.write(2, b"about to fall over\n")
        os.kill(os.getpid(), signal.SIGSEGV)


class HangsOnThirdCall(Counting):
    """Never answers."""

    name = "hangs-on-third-call"

    def third(self) -> None:
        """Sleeps."""
        time.sleep(600)


class LeavesOnThirdCall(Counting):
    """Ends the process as if all were well."""

    name = "leaves-on-third-call"

    def third(self) -> None:
        """Leaves."""
        os._exit(0)


class AnswersTwiceOnThirdCall(Counting):
    """Forks, and lets the child answer as well."""

    name = "answers-twice-on-third-call"

    def third(self) -> None:
        """Forks."""
        os.fork()


class StopsReadingAfterSecondCall(Counting):
    """Stops itself between two calls, so that the next request is never read."""

    name = "stops-reading-after-second-call"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, after which the process is stopped."""
        outputs = super().run(request)
        if self.calls == 2:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGSTOP)).start()
        return outputs


class DeclaresAGap(Adapter):
    """Says beforehand that it has no int8, and refuses it."""

    name = "declares-a-gap"

    def gap(self, request: SimpleNamespace) -> str | None:
        """int8 is missing."""
        return "no int8" if request.inputs["X"].dtype == np.int8 else None

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, but for int8."""
        if self.gap(request):
            refuses("load")
        return pool(request)


class DoesNotStart(Adapter):
    """Fails when it is made."""

    name = "does-not-start"

    def __init__(self) -> None:
        raise RuntimeError("the library libmissing.so was not found")
