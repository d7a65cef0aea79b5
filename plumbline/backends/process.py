"""Run backends in processes of their own, which may crash or hang.

`Isolated` starts a process (StartError if it does not start) and exchanges requests for answers. Each request comes to
Answered, Raised, Crashed (the process ended, or ran out of memory), Hung (the time was up and the process was killed)
or Failed (the exchange itself went wrong). After Crashed, Hung and Failed the next request starts a new process.

`Worker` does this for an adapter, which reports when it has read a request. If the process ends before that, the
request is not to blame: the end is noted and the request sent once more.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from plumbline.backends import worker
from plumbline.backends.conversation import LARGEST_DESCRIPTION, Conversation, line
from plumbline.backends.foreign_text import plain
from plumbline.backends.hosts import StartError, message, outcomes
from plumbline.backends.identity import Identity
from plumbline.backends.memory import PROC, MemoryLimitError
from plumbline.backends.outcomes import Crashed, Failed, Hung, Outcome
from plumbline.backends.request import Request

START_LIMIT = 120.0
"""Seconds for a process to start: importing a large runtime from a cold disk takes a while."""

MEMORY_LIMIT = 4096
"""Mebibytes of resident memory that a backend may use beyond what it has when it is ready."""

BATCH_LIMIT = 3
"""A batch has the time of so many calls. One that takes longer is split, and each call has its own time again."""

HISTORY = 4096
"""Earlier calls in one process that are remembered."""

REMEMBERED = 1 << 26
"""Bytes of the models and inputs of all remembered calls; beyond it the oldest are dropped."""


@dataclass(kw_only=True, eq=False)
class Isolated:
    """A host with a process of its own. `memory_limit` is in mebibytes."""

    memory_limit: int = MEMORY_LIMIT
    identity: Identity = field(init=False)
    notes: list[str] = field(init=False, default_factory=list)
    before_end: list[Request] = field(init=False, default_factory=list)
    """The requests before the last one, in the process that ended last."""
    farewell = b""
    """Sent before the process is ended."""

    def __post_init__(self) -> None:
        self._number = 0
        self._restart_error = ""
        self._witness: Self | None = None
        self._process: Conversation | None
        self._process, self.identity = self._start()

    def run(self, request: Request) -> Outcome:
        """Run one request. Raises StartError if a new process is needed and does not start; from then on at once."""
        answer = self._ask([request], request.time_limit)
        return answer[0] if isinstance(answer, list) else answer

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Run a batch; return its outcomes, or one for all."""
        limits = [request.time_limit for request in requests]
        return self._ask(requests, min(sum(limits), BATCH_LIMIT * max(limits)))

    def fresh(self) -> Self:
        """Return the backend in a new process. Raises StartError."""
        return replace(self)

    @property
    def witness(self) -> Self:
        """The backend in a second process, which only repeats calls. Raises StartError."""
        if self._witness is None:
            self._witness = self.fresh()
        return self._witness

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end(self._process)
        if self._witness is not None:
            self._witness.close()
            self._witness = None

    def _command(self) -> list[str]:
        """Return the command line of the process."""
        raise NotImplementedError

    def _greet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        """Return the identity that a new process sends."""
        raise NotImplementedError

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        """Send requests and read the answers.

        Raises what the conversation raises, and what wrong data makes the readers raise."""
        raise NotImplementedError

    def _start(self) -> tuple[Conversation, Identity]:
        """Start a process; return it and its identity."""
        command = self._command()
        try:
            process = Conversation(command, self.memory_limit)
        except OSError as error:
            raise StartError(f"cannot start {command[0]}: {error.strerror}") from None
        try:
            identity = Identity.read(self._greet(process, time.monotonic() + START_LIMIT),
                                     self.memory_limit if PROC.is_dir() else None)
            process.limit_memory(addresses=identity.address_limit)
        except (TimeoutError, MemoryLimitError, EOFError, BrokenPipeError, ValueError, LookupError, TypeError,
                AttributeError, RecursionError, OverflowError, MemoryError) as error:
            process.end(self.farewell)
            raise StartError(_why_not_started(error, process)) from None
        self._history: deque[Request] = deque()
        self._remembered = 0
        self._has_read = True
        return process, identity

    def _ask(self, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        for _ in range(2):
            answer = self._converse(self._ready(), requests, limit)
            if not isinstance(answer, Crashed) or self._has_read:
                break
            self._note_end(answer.how)
        return answer

    def _ready(self) -> Conversation:
        """Return the process, or a new one in its place. Raises StartError."""
        if self._restart_error:
            raise StartError(self._restart_error)
        process = self._process
        if process is not None and process.ended:  # after its last answer: this call is not to blame
            self._end(process)
            self._note_end(process.how_it_ended())
        if self._process is None:
            try:
                self._process, _ = self._start()
            except StartError as error:
                self._restart_error = str(error)
                raise
        return self._process

    def _converse(self, process: Conversation, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        """Send requests; return an outcome for each, or one for all. `limit`: seconds for all of them."""
        self._number += 1
        process.mark()
        answer: list[Outcome] | Outcome
        is_lost = True
        try:
            answer = self._exchange(process, requests, time.monotonic() + limit)
            if isinstance(answer, list) and len(answer) != len(requests):
                raise ValueError(f"{len(answer)} answers to {len(requests)} calls")
            parts = answer if isinstance(answer, list) else [answer]
            is_lost = any(isinstance(part, (Hung, Crashed)) for part in parts)
        except TimeoutError:
            answer = Hung(limit)
        except MemoryLimitError as error:
            answer = Crashed("out of memory", str(error))
        except (EOFError, BrokenPipeError):
            process.end()
            answer = Crashed(process.how_it_ended(), process.last_lines())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError,
                MemoryError) as error:
            answer = Failed(plain(f"the answer cannot be read: {type(error).__name__}: {error}"))
        if is_lost:
            self._end(process)
        else:
            self._remember(requests)
        return answer

    def _remember(self, requests: Sequence[Request]) -> None:
        """Keep requests as the history of the process, within `HISTORY` and `REMEMBERED`."""
        self._history.extend(requests)
        self._remembered += sum(map(_bytes_of, requests))
        while self._remembered > REMEMBERED or len(self._history) > HISTORY:
            self._remembered -= _bytes_of(self._history.popleft())

    def _end(self, process: Conversation) -> None:
        self._process = None
        process.end(self.farewell)
        self.before_end = list(self._history)

    def _note_end(self, how: str) -> None:
        self.notes.append(f"the process ended between two calls: {how}")


def _why_not_started(error: Exception, process: Conversation) -> str:
    """Say why a process that was ended did not start."""
    lines = process.last_lines()
    match error:
        case TimeoutError():
            return f"was not ready after {START_LIMIT:g} s\n{lines}"
        case MemoryLimitError():
            return f"did not get ready: {error}"
        case EOFError() | BrokenPipeError():
            return f"did not start: {process.how_it_ended()}\n{lines}"
    return plain(f"its description of itself cannot be read: {type(error).__name__}: {error}\n{lines}")


def _bytes_of(request: Request) -> int:
    return len(request.model) + sum(array.nbytes for array in request.inputs.values())


@dataclass(eq=False)
class Worker(Isolated):
    """An adapter in a process and environment of its own.

    Requests and answers carry a number: an answer to another request is never taken for the present one's. Raises
    StartError."""

    reference: str
    python: Path = field(default_factory=lambda: Path(sys.executable))
    provider: str = ""

    def _command(self) -> list[str]:
        return [str(self.python), str(Path(worker.__file__)), self.reference, *filter(None, [self.provider])]

    def _greet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        identity: dict[str, Any] = process.receive(deadline, LARGEST_DESCRIPTION)["ready"]
        return identity

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        self._has_read = False
        body, data = message(self._number, requests)
        process.send(line(body), deadline, data)
        while True:
            answer = process.receive(deadline)
            data = process.receive_bytes(answer["data"], deadline)
            if answer.get("reading") == self._number:
                self._has_read = True
            elif "reading" not in answer:
                if answer["number"] != self._number:
                    raise ValueError("it answers another request")
                return outcomes(answer, partial(worker.decode, data=data))
