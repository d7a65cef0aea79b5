"""Backends in processes of their own, which may crash, hang or fill the memory without taking anything with them.

`Isolated` is the conversation: a process is started (StartError when it does not get ready), is given requests, and
answers; what comes of them is Answered, Raised, Crashed (the process ended, or was out of memory), Hung (the time was
up and the process was killed) or Failed (the conversation itself went wrong). After Crashed, Hung and Failed the next
request starts a new process. `Worker` is an adapter's: it says when it reads a request, so that an end before that is
known to be no fault of the request, which is put once more; the end is noted.
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
from plumbline.backends.conversation import Conversation, line
from plumbline.backends.foreign_text import plain, plain_identity
from plumbline.backends.hosts import StartError, message, outcomes
from plumbline.backends.memory import PROC, MemoryLimitError
from plumbline.backends.outcomes import Crashed, Failed, Hung, Outcome
from plumbline.backends.request import Request

START_LIMIT = 120.0
"""Seconds for a process to get ready: importing a large runtime from a cold disk takes a while."""

MEMORY_LIMIT = 4096
"""Mebibytes of memory that a backend may have resident beyond what it has when it is ready."""

BATCH_LIMIT = 3
"""A batch has the time of so many calls. One that takes longer is split, and each call has its own time again."""

HISTORY = 4096
"""Calls before the present one, in one process, that are remembered."""

REMEMBERED = 1 << 26
"""Bytes of the models and inputs of all calls that are remembered: the oldest are dropped beyond it."""


@dataclass(kw_only=True, eq=False)
class Isolated:
    """What every host with a process of its own does. `memory_limit` is in mebibytes."""

    memory_limit: int = MEMORY_LIMIT
    identity: dict[str, Any] = field(init=False, default_factory=dict)
    notes: list[str] = field(init=False, default_factory=list)
    before_end: list[Request] = field(init=False, default_factory=list)
    """What had been put to the process that ended last, but for what it ended with."""
    farewell = b""
    """What a process is told at its end."""

    def __post_init__(self) -> None:
        self._process: Conversation | None = None
        self._number = 0
        self._gave_up = ""
        self._witness: Self | None = None
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

    def fresh(self) -> Self:
        """The same backend in a new process, for the caller to close. Raises StartError."""
        return replace(self)

    @property
    def witness(self) -> Self:
        """The same backend in a second process, to which nothing is put but what is put twice. Raises StartError."""
        if self._witness is None:
            self._witness = self.fresh()
        return self._witness

    def close(self) -> None:
        """End the process."""
        self._kill()
        if self._witness is not None:
            self._witness.close()
            self._witness = None

    def _command(self) -> list[str]:
        """What is started."""
        raise NotImplementedError

    def _meet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        """The identity that a new process gives. Raises what the conversation raises, and LookupError."""
        raise NotImplementedError

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        """Put requests and read what becomes of them. Raises what the conversation raises, and what wrong data makes
        the readers raise."""
        raise NotImplementedError

    def _start(self) -> None:
        command = self._command()
        try:
            self._process = Conversation(command, self.memory_limit)
        except OSError as error:
            raise StartError(f"cannot start {command[0]}: {error.strerror}") from None
        self._history: deque[Request] = deque()
        self._remembered = 0
        self._reading = True
        try:
            said = self._meet(self._process, time.monotonic() + START_LIMIT)
            self.identity = {**plain_identity(said), "memory_limit": self.memory_limit if PROC.is_dir() else None}
            self._process.limit_memory(addresses=said.get("address_limit") is True)
        except TimeoutError:
            lines = self._kill().last_lines()
            raise StartError(f"was not ready after {START_LIMIT:g} s\n{lines}") from None
        except MemoryLimitError as error:
            self._kill()
            raise StartError(f"did not get ready: {error}") from None
        except (EOFError, BrokenPipeError):
            ended = self._kill()
            raise StartError(f"did not start: {ended.how_it_ended()}\n{ended.last_lines()}") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            lines = self._kill().last_lines()
            raise StartError(plain(f"what it says of itself cannot be read: {type(error).__name__}: {error}\n{lines}"
                                   )) from None

    def _ask(self, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        for _ in range(2):
            self._make_ready()
            found = self._converse(requests, limit)
            if not isinstance(found, Crashed) or self._reading:
                break
            self._note_end(found.how)
        return found

    def _make_ready(self) -> None:
        if self._gave_up:
            raise StartError(self._gave_up)
        if self._process is not None and self._process.ended:  # after its last answer: that is no fault of this call
            self._note_end(self._kill().how_it_ended())
        if self._process is None:
            try:
                self._start()
            except StartError as error:
                self._gave_up = str(error)
                raise

    def _converse(self, requests: Sequence[Request], limit: float) -> list[Outcome] | Outcome:
        self._number += 1
        process = self._process
        process.mark()
        found: list[Outcome] | Outcome
        lost = True
        try:
            found = self._exchange(process, requests, time.monotonic() + limit)
            if isinstance(found, list) and len(found) != len(requests):
                raise ValueError(f"{len(found)} answers to {len(requests)} calls")
            parts = found if isinstance(found, list) else [found]
            lost = any(isinstance(part, (Hung, Crashed)) for part in parts)
        except TimeoutError:
            found = Hung(limit)
        except MemoryLimitError as error:
            found = Crashed("out of memory", str(error))
        except (EOFError, BrokenPipeError):
            process.end()
            found = Crashed(process.how_it_ended(), process.last_lines())
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            found = Failed(plain(f"the answer cannot be read: {type(error).__name__}: {error}"))
        if lost:
            self._kill()
        else:
            self._remember(requests)
        return found

    def _remember(self, requests: Sequence[Request]) -> None:
        """Keep calls for whoever asks what came before the end of a process, within `HISTORY` and `REMEMBERED`."""
        self._history.extend(requests)
        self._remembered += sum(map(_bytes_of, requests))
        while self._remembered > REMEMBERED or len(self._history) > HISTORY:
            self._remembered -= _bytes_of(self._history.popleft())

    def _kill(self) -> Conversation | None:
        process, self._process = self._process, None
        if process is not None:
            process.end(self.farewell)
            self.before_end = list(self._history)
        return process

    def _note_end(self, how: str) -> None:
        self.notes.append(f"the process ended between two calls: {how}")


def _bytes_of(request: Request) -> int:
    return len(request.model) + sum(array.nbytes for array in request.inputs.values())


@dataclass(eq=False)
class Worker(Isolated):
    """An adapter in a process of its own, in the environment of `python`. Raises StartError when it cannot start.

    Requests and answers carry a number, so that an answer to anything else is never taken for this one's."""

    reference: str
    python: Path = field(default_factory=lambda: Path(sys.executable))

    def _command(self) -> list[str]:
        return [str(self.python), str(Path(worker.__file__)), self.reference]

    def _meet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        return process.receive(deadline)["ready"]

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        self._reading = False
        body, data = message(self._number, requests)
        process.send(line(body), deadline, data)
        while True:
            answer = process.receive(deadline)
            data = process.receive_bytes(answer["data"], deadline)
            if answer.get("reading") == self._number:
                self._reading = True
            elif "reading" not in answer:
                if answer["number"] != self._number:
                    raise ValueError("it answers another request")
                return outcomes(answer, partial(worker.decode, data=data))
