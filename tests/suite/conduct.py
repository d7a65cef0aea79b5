"""Fake implementations whose outputs are true and whose conduct is not: what they do is their docstring.

They are put to the trial as ``tests.suite.conduct:NAME``. Those whose answer is not one are in
`tests.suite.answering`, those that start, declare or take batches badly in `tests.suite.manners`.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import signal
import stat
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.suite.fakes import Adapter
from tests.suite.naive import pool

NO_RESERVE = 0x4000
"""MAP_NORESERVE of Linux, a name that Python has from 3.13 on."""


def pipe(direction: int) -> int:
    """The pipe that the worker reads requests from (os.O_RDONLY) or answers on (os.O_WRONLY), which no honest adapter
    would look for."""
    for descriptor in range(3, 64):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
            flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        except OSError:
            continue
        if is_pipe and flags & os.O_ACCMODE == direction:
            return descriptor
    raise LookupError("there is no such pipe")


def write(answer: bytes | dict[str, Any], data: bytes = b"") -> None:
    """Write a line, and bytes behind it, where only the worker should, before it answers."""
    os.write(pipe(os.O_WRONLY), (answer if isinstance(answer, bytes) else json.dumps(answer).encode()) + b"\n" + data)


EMPTY = {"outputs": {}, "gap": None, "provider": None}
"""A well-formed answer to one request."""


class Counting(Adapter):
    """Does something else on the third call, and tells the truth on all others."""

    def __init__(self) -> None:
        self.calls = 0

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def run(self, request: SimpleNamespace) -> Any:
        """The truth, but for the third call where that is something else."""
        self.calls += 1
        lie = self.third() if self.calls == 3 else None
        return pool(request) if lie is None else lie

    def third(self) -> Any:
        """What happens on the third call, and what is answered instead of the truth."""


class CrashesOnThirdCall(Counting):
    """Dies by a segmentation fault."""

    def third(self) -> None:
        """Dies."""
        os.write(2, b"about to fall over\n")
        os.kill(os.getpid(), signal.SIGSEGV)


class AbortsOnThirdCall(Counting):
    """Aborts, as a failed assertion in C does."""

    def third(self) -> None:
        """Aborts."""
        os.abort()


class HangsOnThirdCall(Counting):
    """Never answers."""

    def third(self) -> None:
        """Sleeps."""
        time.sleep(600)


class LoadsForEver(Counting):
    """Never ends to load the third model, is busy with it, and does not listen to signals."""

    def third(self) -> None:
        """Turns in circles."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            pass


class LeavesOnThirdCall(Counting):
    """Ends the process as if all were well."""

    def third(self) -> None:
        """Leaves."""
        os._exit(0)


class ExitsOnThirdCall(Counting):
    """Ends the program in Python's way, as a command line tool used as a library does."""

    def third(self) -> None:
        """Exits."""
        sys.exit(0)


class FillsTheMemory(Counting):
    """Takes memory for ever."""

    def third(self) -> None:
        """Never has enough."""
        taken = []
        while True:
            taken.append(bytearray(16 << 20))


class FillsTheAddresses(FillsTheMemory):
    """Asks for a limit of what it maps, and finds that there is no more."""

    address_limit = True

    def third(self) -> None:
        """Reserves what it never uses."""
        try:
            mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | NO_RESERVE)
        except OSError as error:
            raise MemoryError("mmap") from error


class Reserves(Counting):
    """Reserves addresses as WebAssembly, browsers and GPU drivers do, and uses little."""

    def third(self) -> None:
        """Keeps them."""
        self.reserved = mmap.mmap(-1, 64 << 30, flags=mmap.MAP_PRIVATE | NO_RESERVE)


class NeverHasMemory(Adapter):
    """Cannot work under the limit that it is given."""

    name = "never has memory"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Refuses, as WebAssembly does."""
        raise RuntimeError("RangeError: WebAssembly.Memory(): could not allocate memory")


class FillsTheMemoryInC(Counting):
    """Dies as a program in C++ does that is out of memory."""

    def third(self) -> None:
        """The words of the runtime library, and the signal."""
        os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
        os.abort()


class KilledOnThirdCall(Counting):
    """Is killed from outside, as the kernel does with a process when memory runs out."""

    def third(self) -> None:
        """Dies."""
        os.kill(os.getpid(), signal.SIGKILL)


class SignalsTheRun(Counting):
    """Sends the process that judges it the signal that the environment names."""

    def third(self) -> None:
        """Sends it, and waits for the end."""
        os.kill(os.getppid(), signal.Signals[os.environ["SIGNAL_OF_THE_RUN"]])
        time.sleep(600)


class InterruptsItself(Counting):
    """Raises what is not an error but ends a program."""

    def third(self) -> None:
        """As if someone had pressed Ctrl-C."""
        raise KeyboardInterrupt


class CallsItselfForEver(Counting):
    """Calls itself until Python refuses."""

    def third(self) -> None:
        """Goes one deeper."""
        self.third()


class PrintsAnAnswer(Counting):
    """Prints, where a program prints, what looks like an answer to the call; then tells the truth."""

    def third(self) -> None:
        """To the file and to the object."""
        os.write(1, json.dumps({"number": 3, "answers": [EMPTY], "data": []}).encode() + b"\n")
        print(json.dumps({"number": 3, "answers": [EMPTY], "data": []}), flush=True)


class FailsToNameItsProvider(Counting):
    """Does not know who computed the third call."""

    def provider(self, request: SimpleNamespace) -> str:
        """Fails, once."""
        if self.calls == 3:
            raise LookupError("no such provider")
        return "CPU"


class AnswersTwiceOnThirdCall(Counting):
    """Forks, and lets the child answer as well."""

    def third(self) -> None:
        """Forks."""
        os.fork()


class AnswersAnotherCall(Counting):
    """Answers the call that comes after this one."""

    def third(self) -> None:
        """A well-formed answer with the number of another call."""
        write({"number": 4, "answers": [EMPTY], "data": []})


class AnswersTooOften(Counting):
    """Answers two calls where one was put."""

    def third(self) -> None:
        """Two answers in one."""
        write({"number": 3, "answers": [EMPTY, EMPTY], "data": []})


class WritesHalfAnAnswer(Counting):
    """Writes the beginning of an answer, and a line's end."""

    def third(self) -> None:
        """Truncated JSON."""
        write(b'{"number": 3, "answers": [{"outpu')


class WritesBytes(Counting):
    """Writes bytes that are not text among the answers."""

    def third(self) -> None:
        """Neither JSON nor UTF-8."""
        write(b"\xff\xfe\x00\x1b[2J")


class WritesAnAnswerOfNoShape(Counting):
    """Answers with an array whose shape does not hold its data."""

    def third(self) -> None:
        """Two bytes for a thousand elements."""
        array = {"dtype": "float32", "shape": [1000], "data": 0}
        write({"number": 3, "answers": [{**EMPTY, "outputs": {"Y": array}}], "data": [2]}, b"\0\0")


class SaysSizesThatAreNone(Counting):
    """Answers with a number of bytes that is not one."""

    def third(self) -> None:
        """Negative."""
        write({"number": 3, "answers": [EMPTY], "data": [-8]})


class ClosesThePipe(Counting):
    """Closes what it should answer on."""

    def third(self) -> None:
        """Closes it."""
        os.close(pipe(os.O_WRONLY))


class RaisesControlCharacters(Counting):
    """Refuses with a text that would clear the screen of whoever reads it."""

    def third(self) -> None:
        """Escapes, a zero byte, half of a surrogate pair."""
        raise RuntimeError("\x1b[2Jnothing\x00to\udc80see\nhere")


class RaisesWhatHasNoText(Counting):
    """Refuses with an exception that cannot be written down."""

    def third(self) -> None:
        """Raises it."""
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError("no text")
        raise Mute


class RaisesInAForeignPhase(Counting):
    """Refuses in a phase that there is not."""

    def third(self) -> None:
        """The phase is a number."""
        error = RuntimeError("no")
        error.phase = 7
        raise error


class FailsToDeclare(Counting):
    """Fails when it is asked for the gaps of the third call."""

    def gap(self, request: SimpleNamespace) -> None:
        """Fails."""
        if self.calls == 2:
            self.calls += 1
            raise LookupError("no table of gaps")


class StopsReadingAfterSecondCall(Counting):
    """Stops itself between two calls, so that the next request is never read."""

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, after which the process is stopped."""
        outputs = super().run(request)
        if self.calls == 2:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGSTOP)).start()
        return outputs


class EndsAfterSecondCall(Counting):
    """Answers well, and reads no further request: the process ends as if there were none."""

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth; on the second call the pipe of requests is exchanged for one that is at its end."""
        outputs = super().run(request)
        if self.calls == 2:
            os.dup2(os.open(os.devnull, os.O_RDONLY), pipe(os.O_RDONLY))
        return outputs
