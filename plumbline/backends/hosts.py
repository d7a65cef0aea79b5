"""Hosts run a backend: in this process (`backends.in_process`), in one of its own (`backends.process`,
`backends.stdio`), or as a program for each call (`backends.program`).

What is here: what every host is, and how requests and answers travel.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from plumbline.backends import worker
from plumbline.backends.foreign_text import NAME, one_line, plain
from plumbline.backends.outcomes import Answered, Crashed, Failed, Outcome, Raised, difference
from plumbline.backends.request import Request

SHARE = 16
"""Of so many inputs of one request one is put a second time."""


class StartError(RuntimeError):
    """A host that did not get ready; the text ends with the last lines it wrote to stderr."""


class Host(Protocol):
    """Runs requests.

    identity: who answers: name, version, about, and what it declares.
    notes:    what happened that belongs to no call, in one line each.
    before_end: what had been put to the process that ended last, where one did.
    """

    identity: dict[str, Any]
    notes: list[str]
    before_end: list[Request]

    def run(self, request: Request) -> Outcome:
        """The outcome of one request. Raises StartError when a new process is needed and does not get ready."""

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """The outcomes of a batch, or the one that it had as a whole. Raises StartError."""

    def fresh(self) -> Host | None:
        """The same backend in a new process, for the caller to close; None where there is no way to have one. Raises
        StartError."""

    @property
    def witness(self) -> Host | None:
        """The same backend in a process to which nothing is put but what is put twice. Raises StartError."""

    def close(self) -> None:
        """End what was started."""


def submit_share_again(found: list[Outcome], seed: bytes, submit: Callable[[int], Outcome]) -> list[Outcome]:
    """The outcomes of several inputs, of which one in `SHARE` is put again by its place, the last first: what is
    answered otherwise says so."""
    for place in reversed(range(zlib.crc32(seed) % SHARE, len(found), SHARE)):
        first = found[place]
        if isinstance(first, Answered):
            words = difference(first, submit(place))
            if words is not None:
                found[place] = replace(first, harm=f"a second time, {words}")
    return found


def message(number: int, requests: Sequence[Request]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Requests as JSON, and the bytes that travel with it."""
    data: list[np.ndarray] = []

    def place_of(model: bytes) -> int:
        data.append(np.frombuffer(model, np.uint8))
        return len(data) - 1

    body = [{"model": place_of(request.model), "operator": request.operator, "attributes": dict(request.attributes),
             "opset": request.opset, "outputs": list(request.outputs),
             "inputs": {name: worker.encode(array, data) for name, array in request.inputs.items()},
             "time_limit": request.time_limit, "specification": request.specification,
             **({"settings": dict(request.settings)} if request.settings else {})} for request in requests]
    return {"number": number, "requests": body, "data": list(map(len, data))}, data


def outcomes(answer: dict[str, Any], read: Callable[[dict[str, Any]], np.ndarray]) -> list[Outcome] | Outcome:
    """An answer from JSON, whose arrays `read` reads. Raises what wrong data makes the readers raise."""
    if "answers" in answer:
        return [_outcome(part, read) for part in answer["answers"]]
    return _outcome(answer, read)


def _outcome(answer: dict[str, Any], read: Callable[[dict[str, Any]], np.ndarray]) -> Outcome:
    if "failed" in answer:
        return Failed(plain(answer["failed"]))
    if "memory" in answer:
        return Crashed("out of memory", plain(answer["memory"]))
    gap, harm = _plain(answer["gap"]), _plain(answer.get("harm"))
    if "error" in answer:
        return refused(answer["error"], gap, harm)
    outputs = {name: read(array) for name, array in answer["outputs"].items()}  # a key: made safe where it is shown
    return Answered(outputs, gap, _plain(answer["provider"]), harm)


def refused(error: dict[str, str], gap: str | None = None, harm: str | None = None) -> Raised:
    """A refusal, from its phase, type and message."""
    phase = error["phase"] if error["phase"] in ("check", "load", "run") else "run"
    return Raised(phase, one_line(error["type"], NAME), plain(error["message"]), gap, harm)


def _plain(text: str | None) -> str | None:
    return None if text is None else one_line(text)
