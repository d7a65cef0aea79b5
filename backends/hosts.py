"""Hosts run an adapter: in this process, or in a worker that may crash or hang without taking anything with it.

A conversation with a worker: it is started (StartError when it does not get ready), is given requests one by one, and
each ends in exactly one outcome: Answered, Raised, Crashed (the process ended), Hung (the time was up and the process
was killed), Failed (the conversation itself went wrong). After Crashed, Hung and Failed the next request starts a new
process.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from backends import worker
from backends.request import Request

START_LIMIT = 120.0
"""Seconds for a worker to get ready: importing a large runtime from a cold disk takes a while."""


class StartError(RuntimeError):
    """A worker or adapter that did not get ready; the text ends with the last lines it wrote to stderr."""


CHUNK = 1 << 16
LARGEST_ANSWER = 1 << 30
"""Bytes. No output of a case comes near it."""


@dataclass(frozen=True, eq=False)
class Answered:
    """The outputs that came back, by name."""

    outputs: Mapping[str, np.ndarray]
    gap: str | None = None


@dataclass(frozen=True)
class Raised:
    """A refusal: in which phase ("check", "load", "run"), with which exception."""

    phase: str
    type: str
    message: str
    gap: str | None = None


@dataclass(frozen=True)
class Crashed:
    """The process ended during the call: ``"SIGSEGV"`` or ``"exit status 3"``, and its last lines of stderr."""

    how: str
    stderr: str = ""


@dataclass(frozen=True)
class Hung:
    """No answer within the limit, in seconds."""

    limit: float


@dataclass(frozen=True)
class Failed:
    """The suite could not put the call or read the answer, and why."""

    why: str


Outcome = Answered | Raised | Crashed | Hung | Failed


class Host(Protocol):
    """Runs requests, and says who answers: name, version, about."""

    identity: dict[str, Any]

    def run(self, request: Request) -> Outcome:
        """The outcome of one request."""

    def close(self) -> None:
        """End what was started."""


def _message(request: Request) -> dict[str, Any]:
    """A request as JSON."""
    return {"model": base64.b64encode(request.model).decode(), "operator": request.operator,
            "attributes": dict(request.attributes), "opset": request.opset, "outputs": list(request.outputs),
            "inputs": {name: worker.encode(array) for name, array in request.inputs.items()},
            "time_limit": request.time_limit}


def _outcome(answer: dict[str, Any]) -> Outcome:
    """An answer from JSON."""
    if "failed" in answer:
        return Failed(answer["failed"])
    if "error" in answer:
        return Raised(**{key: text.encode(errors="replace").decode() for key, text in answer["error"].items()},
                      gap=answer["gap"])
    return Answered({name: worker.decode(array) for name, array in answer["outputs"].items()}, answer["gap"])


class InProcess:
    """An adapter in this process: fast, and for adapters that one trusts not to crash."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.identity = worker.describe(adapter)

    def run(self, request: Request) -> Outcome:
        """The outcome of one request, by the same code that a worker answers with."""
        message = json.loads(json.dumps({"number": 0, **_message(request)}))
        return _outcome(json.loads(worker.answer(self.adapter, message)))

    def close(self) -> None:
        """Nothing was started."""


@dataclass(eq=False)
class Worker:
    """An adapter in a process of its own, in the environment of `python`. Raises StartError when it cannot start.

    Requests and answers carry a number, so that an answer to anything else is never taken for this one's."""

    reference: str
    python: Path = field(default_factory=lambda: Path(sys.executable))
    identity: dict[str, Any] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._stderr = tempfile.TemporaryFile()
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._gave_up = ""
        self._start()

    def _start(self) -> None:
        self._stderr.seek(0)
        self._stderr.truncate()
        command = [str(self.python), str(Path(worker.__file__)), self.reference]
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

    def run(self, request: Request) -> Outcome:
        """The outcome of one request. Raises StartError when a new process is needed and does not get ready, and from
        then on at once."""
        if self._gave_up:
            raise StartError(self._gave_up)
        if self._process is not None and self._process.poll() is not None:
            self._kill()  # it ended after its last answer; that is no fault of this call
        if self._process is None:
            try:
                self._start()
            except StartError as error:
                self._gave_up = str(error)
                raise
        self._number += 1
        deadline = time.monotonic() + request.time_limit
        try:
            self._send({"number": self._number, **_message(request)}, deadline)
            answer = self._receive(deadline)
            if answer["number"] != self._number:
                raise ValueError("it answers another request")
            return _outcome(answer)
        except TimeoutError:
            self._kill()
            return Hung(request.time_limit)
        except (EOFError, BrokenPipeError):
            self._kill()
            return Crashed(self._how_it_ended(), self._last_lines())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._kill()
            return Failed(f"the answer cannot be read: {type(error).__name__}: {error}")

    def close(self) -> None:
        """End the process."""
        self._kill()
        self._stderr.close()

    def _send(self, message: dict[str, Any], deadline: float) -> None:
        """Raises TimeoutError when the worker does not read in time, BrokenPipeError when it ended."""
        data = memoryview(json.dumps(message).encode() + b"\n")
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdin, selectors.EVENT_WRITE)
            while data:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    raise TimeoutError
                data = data[os.write(self._process.stdin.fileno(), data[:CHUNK]):]

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
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        self._status = process.wait()

    def _how_it_ended(self) -> str:
        return signal.Signals(-self._status).name if self._status < 0 else f"exit status {self._status}"

    def _last_lines(self, count: int = 5) -> str:
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(end - 4096, 0))
        return "\n".join(self._stderr.read().decode(errors="replace").strip().splitlines()[-count:])
