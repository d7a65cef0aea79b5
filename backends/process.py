"""An adapter in a process of its own, which may crash, hang or fill the memory without taking anything with it.

A conversation with a worker: it is started (StartError when it does not get ready), is given requests, says that it
reads them, and answers; what comes of them is Answered, Raised, Crashed (the process ended, or was out of memory), Hung
(the time was up and the process was killed) or Failed (the conversation itself went wrong). After Crashed, Hung and
Failed the next request starts a new process. A process that ends before it reads a request was ended by something
else: the request is put once more, and the end is noted.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.backends import worker
from plumbline.backends.hosts import StartError, message, outcomes, plain
from plumbline.backends.outcomes import Crashed, Failed, Hung, Outcome
from plumbline.backends.request import Request

START_LIMIT = 120.0
"""Seconds for a worker to get ready: importing a large runtime from a cold disk takes a while."""

MEMORY_LIMIT = 4096
"""Mebibytes that a worker may use beyond what it has when it is ready."""

BATCH_LIMIT = 3
"""A batch has the time of so many calls. One that takes longer is split, and each call has its own time again."""

CHUNK = 1 << 16
LARGEST_ANSWER = 1 << 26
"""Bytes. No output of a case comes near it."""

OUT_OF_MEMORY = re.compile(r"bad_alloc|MemoryError|out of memory|cannot allocate memory|memory allocation", re.I)
"""What a process says before it ends for want of memory: C++, Python, the C library, Rust."""


def how_it_ended(status: int, lines: str) -> str:
    """The end of a process in words, from its status and the last lines that it wrote."""
    if status >= 0:
        how = f"exit status {status}"
    else:
        how = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"out of memory ({how})" if OUT_OF_MEMORY.search(lines) else how


def end_group(process: subprocess.Popen[bytes]) -> int:
    """Kill a process with everything that it started in its session; its exit status."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def last_lines(file: Any, begin: int = 0, count: int = 5) -> str:
    """The last lines of a file of bytes, of what was written from `begin` on."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(end - 4096, begin))
    return plain("\n".join(file.read().decode(errors="replace").strip().splitlines()[-count:]))


@dataclass(eq=False)
class Worker:
    """An adapter in a process of its own, in the environment of `python`. Raises StartError when it cannot start.

    Requests and answers carry a number, so that an answer to anything else is never taken for this one's.
    `memory_limit` is in mebibytes."""

    reference: str
    python: Path = field(default_factory=lambda: Path(sys.executable))
    memory_limit: int = MEMORY_LIMIT
    identity: dict[str, Any] = field(init=False, default_factory=dict)
    notes: list[str] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._stderr = tempfile.TemporaryFile()
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._gave_up = ""
        self._start()

    def run(self, request: Request) -> Outcome:
        """The outcome of one request. Raises StartError when a new process is needed and does not get ready, and from
        then on at once."""
        found = self._ask([request], request.time_limit)
        return found[0] if isinstance(found, list) else found

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """The outcomes of a batch, or the one that it had as a whole. Raises StartError."""
        limits = [request.time_limit for request in requests]
        return self._ask(requests, min(sum(limits), BATCH_LIMIT * max(limits)))

    def close(self) -> None:
        """End the process."""
        self._kill()
        self._stderr.close()

    def _start(self) -> None:
        self._stderr.seek(0)
        self._stderr.truncate()
        self._mark = 0
        command = [str(self.python), str(Path(worker.__file__)), self.reference, str(self.memory_limit)]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             stderr=self._stderr, start_new_session=True, bufsize=0)
        except OSError as error:
            raise StartError(f"cannot start {self.python}: {error.strerror}") from None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._rest = b""
        try:
            self.identity = self._receive(time.monotonic() + START_LIMIT)["ready"]
        except TimeoutError:
            self._kill()
            raise StartError(f"was not ready after {START_LIMIT:g} s\n{self._last_lines()}") from None
        except (EOFError, ValueError, KeyError):
            self._kill()
            raise StartError(f"did not start: {self._how_it_ended()}\n{self._last_lines()}") from None

    def _ask(self, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        for _ in range(2):
            self._make_ready()
            self._reading = False
            found = self._converse(requests, limit)
            if not isinstance(found, Crashed) or self._reading:
                break
            self._note_end(found.how)
        return found

    def _make_ready(self) -> None:
        if self._gave_up:
            raise StartError(self._gave_up)
        if self._process is not None and self._process.poll() is not None:
            self._kill()  # it ended after its last answer; that is no fault of this call
            self._note_end(self._how_it_ended())
        if self._process is None:
            try:
                self._start()
            except StartError as error:
                self._gave_up = str(error)
                raise

    def _converse(self, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        self._number += 1
        self._mark = self._stderr.seek(0, os.SEEK_END)
        deadline = time.monotonic() + limit
        try:
            self._send(message(self._number, requests), deadline)
            found = outcomes(self._answer(deadline))
            if isinstance(found, list) and len(found) != len(requests):
                raise ValueError(f"{len(found)} answers to {len(requests)} calls")
        except TimeoutError:
            found = Hung(limit)
        except (EOFError, BrokenPipeError):
            self._kill()
            found = Crashed(self._how_it_ended(), self._last_lines())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            found = Failed(plain(f"the answer cannot be read: {type(error).__name__}: {error}"))
            self._kill()
        if any(isinstance(part, (Hung, Crashed)) for part in (found if isinstance(found, list) else [found])):
            self._kill()
        return found

    def _answer(self, deadline: float) -> dict[str, Any]:
        """The answer to the present number. Raises ValueError for one to another."""
        while True:
            answer = self._receive(deadline)
            if answer.get("reading") == self._number:
                self._reading = True
            elif "reading" not in answer:
                if answer["number"] != self._number:
                    raise ValueError("it answers another request")
                return answer

    def _send(self, data: dict[str, Any], deadline: float) -> None:
        """Raises TimeoutError when the worker does not read in time, BrokenPipeError when it ended."""
        rest = memoryview(json.dumps(data).encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdin, selectors.EVENT_WRITE)
            while rest:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    raise TimeoutError
                rest = rest[os.write(self._process.stdin.fileno(), rest[:CHUNK]):]

    def _receive(self, deadline: float) -> dict[str, Any]:
        """The next message. Raises TimeoutError, EOFError when the process ended, ValueError when it is no JSON or
        larger than LARGEST_ANSWER."""
        chunks, size = [self._rest], len(self._rest)
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in chunks[-1]:
                if time.monotonic() > deadline or not selector.select(max(deadline - time.monotonic(), 0)):
                    raise TimeoutError
                chunks.append(os.read(self._process.stdout.fileno(), CHUNK))
                size += len(chunks[-1])
                if not chunks[-1]:
                    raise EOFError
                if size > LARGEST_ANSWER:
                    raise ValueError(f"it is larger than {LARGEST_ANSWER} bytes")
        line, _, self._rest = b"".join(chunks).partition(b"\n")
        return json.loads(line)

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.stdin.close()
            process.wait(timeout=0.2)
        self._status = end_group(process)
        process.stdout.close()

    def _note_end(self, how: str) -> None:
        self.notes.append(f"the process ended between two calls: {how}")

    def _how_it_ended(self) -> str:
        return how_it_ended(self._status, self._last_lines())

    def _last_lines(self) -> str:
        return last_lines(self._stderr, self._mark)
