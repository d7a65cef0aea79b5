"""Hosts run a backend, here or in another process.

The hosts are in `backends.in_process`, `backends.process`, `backends.stdio` and `backends.program`. This module has
their interface, and the messages in which requests and answers travel.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeGuard

import numpy as np

from plumbline.backends import worker
from plumbline.backends.foreign_text import NAME, one_line, plain
from plumbline.backends.identity import Identity
from plumbline.backends.outcomes import Answered, Crashed, Failed, Outcome, Raised, difference
from plumbline.backends.request import Request

SHARE = 16
"""One in so many inputs of a request is run a second time."""


class StartError(RuntimeError):
    """A host that did not start; the text ends with stderr."""


class Host(Protocol):
    """Runs requests.

    identity: what the backend says of itself.
    notes:    events that belong to no call, in one line each.
    """

    identity: Identity
    notes: list[str]

    @property
    def before_end(self) -> Sequence[Request]:
        """The earlier requests of the process that ended last."""

    def run(self, request: Request) -> Outcome:
        """Run one request. Raises StartError."""

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Run a batch; return its outcomes, or one for all."""

    def fresh(self) -> Host | None:
        """Return the backend in a new process, None if that is impossible. The caller closes it. Raises StartError."""

    @property
    def witness(self) -> Host | None:
        """The backend in a process that only repeats calls. Raises StartError."""

    def close(self) -> None:
        """End what was started."""


class BulkHost(Host, Protocol):
    """A host that runs one request with many inputs cheaply."""

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """Run a request with several inputs, a share of them twice. Raises StartError."""


def is_bulk(host: Host) -> TypeGuard[BulkHost]:
    """Return True for a host with `run_inputs`."""
    return hasattr(host, "run_inputs")


def repeat_share(first: list[Outcome], seed: bytes, run_again: Callable[[int], Outcome]) -> list[Outcome]:
    """Run one in `SHARE` inputs again, the last first, and note differences.

    `run_again` takes the number of an input. Where a second answer differs, the outcome says so as `harm`."""
    for number in reversed(range(zlib.crc32(seed) % SHARE, len(first), SHARE)):
        outcome = first[number]
        if isinstance(outcome, Answered):
            words = difference(outcome, run_again(number))
            if words is not None:
                first[number] = replace(outcome, harm=f"a second time, {words}")
    return first


def message(number: int, requests: Sequence[Request]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return requests as a JSON message, and the bytes that follow it.

    number: of the message, which its answer repeats."""
    data: list[np.ndarray] = []

    def append(model: bytes) -> int:
        data.append(np.frombuffer(model, np.uint8))
        return len(data) - 1

    body = [{"model": append(request.model), "operator": request.operator,
             "attributes": {name: worker.encode(value, data) if isinstance(value, np.ndarray) else value
                            for name, value in request.attributes.items()},
             "opset": request.opset, "outputs": list(request.outputs),
             "inputs": {name: worker.encode(array, data) for name, array in request.inputs.items()},
             "time_limit": request.time_limit, "specification": request.specification,
             **({"names": dict(request.names)} if request.names else {}),
             **({"settings": dict(request.settings)} if request.settings else {})} for request in requests]
    return {"number": number, "requests": body, "data": list(map(len, data))}, data


def outcomes(answer: Mapping[str, Any], read: Callable[[dict[str, Any]], np.ndarray]) -> list[Outcome] | Outcome:
    """Return the outcomes of a batch, or one for all.

    `read` turns JSON into an array. Raises what wrong data makes the readers raise."""
    if "answers" in answer:
        return [outcome_of(part, read) for part in answer["answers"]]
    return outcome_of(answer, read)


def outcome_of(answer: Mapping[str, Any], read: Callable[[dict[str, Any]], np.ndarray]) -> Outcome:
    """Return the outcome in an answer to one request; otherwise as `outcomes`."""
    if "failed" in answer:
        return Failed(plain(answer["failed"]))
    if "memory" in answer:
        return Crashed("out of memory", plain(answer["memory"]))
    gap, harm = _plain(answer["gap"]), _plain(answer.get("harm"))
    if "error" in answer:
        return refused(answer["error"], gap, harm)
    outputs = {name: read(array) for name, array in answer["outputs"].items()}  # keys: made safe where they are shown
    return Answered(outputs, gap, _plain(answer["provider"]), harm)


def refused(error: dict[str, str], gap: str | None = None, harm: str | None = None) -> Raised:
    """Return a refusal from its phase, type and message."""
    phase = error["phase"] if error["phase"] in ("check", "load", "run") else "run"
    return Raised(phase, one_line(error["type"], NAME), plain(error["message"]), gap, harm,
                  one_line(error.get("own", "")))


def _plain(text: str | None) -> str | None:
    return None if text is None else one_line(text)
