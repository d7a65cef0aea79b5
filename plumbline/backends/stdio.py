"""A program that is started once and spoken to over stdin and stdout, `stdio:COMMAND`, as docs/protocol.md says.

It is for runtimes in other languages. A line of JSON goes in for each call, and one comes out; some lines are written
ahead, as many as a pipe holds, so that nobody waits for the other.
"""

from __future__ import annotations

import base64
import shlex
import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plumbline.backends import worker
from plumbline.backends.conversation import Conversation
from plumbline.backends.foreign_text import one_line
from plumbline.backends.hosts import StartError, outcomes, submit_share_again
from plumbline.backends.outcomes import Outcome, Raised
from plumbline.backends.process import BATCH_LIMIT, Isolated
from plumbline.backends.request import Request
from plumbline.backends.scripts import of_conversation
from plumbline.backends.wire import VERSIONS, UncarriedError, decode, encode_attributes, encode_inputs, line

OLD = ("the program speaks version {version} of the protocol of stdio:; calls that only a later version carries (NaN, "
       "infinities and texts, docs/protocol.md) are unsupported")

AHEAD = 1 << 15
"""Bytes that are written before they are answered: no pipe of any system is smaller."""


@dataclass(eq=False)
class Stdio(Isolated):
    """A program and its arguments, as a shell would split them. Raises StartError when it cannot start."""

    command: str
    farewell = b'{"do":"stop"}\n'

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """The outcomes of one request with each of several inputs, a share of which is put a second time. Raises
        StartError."""
        requests = [replace(request, inputs=given) for given in inputs]
        found = self._ask(requests, request.time_limit * min(len(inputs), BATCH_LIMIT))
        if not isinstance(found, list):
            return [self.run(each) for each in requests]
        return submit_share_again(found, request.model, lambda place: self.run(requests[place]))

    def _command(self) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise StartError(f"not a command line: {error}") from None
        if not words or shutil.which(words[0]) is None:
            raise StartError(f"there is no program {words[0] if words else ''!r}")
        return words

    def _meet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        process.send(line({"do": "start", "plumbline": VERSIONS[0], "versions": VERSIONS}), deadline)
        said = process.receive(deadline)
        missing = [key for key in ("plumbline", "name", "version") if key not in said]
        if missing:
            raise ValueError(f"its answer to the start has no {missing[0]!r}; docs/protocol.md says what it holds")
        self._version = said["plumbline"]
        if self._version not in VERSIONS:
            raise ValueError(f"it speaks version {self._version!r} of the protocol, not "
                             f"{' or '.join(map(str, VERSIONS))}")
        if self._version < VERSIONS[-1] and (note := OLD.format(version=self._version)) not in self.notes:
            self.notes.append(note)
        self._wants_model = said.get("model") is True
        return {"name": said["name"], "version": said["version"],
                "about": {"command": self.command, **said.get("about", {})},
                "reproduce": said.get("reproduce") or of_conversation(self.command, self._wants_model, self._version),
                "specifications": list(said.get("specifications", worker.SPECIFICATIONS)),
                "capabilities": said.get("capabilities"), "batch": worker.BATCH, "python": "none", "numpy": "none",
                "address_limit": said.get("address_limit"), "not_implemented": list(said.get("not_implemented", ()))}

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        first = self._number
        self._number += len(requests) - 1
        lines = [self._line(number, request) for number, request in enumerate(requests, first)]
        left, ahead = deque(line for line in lines if isinstance(line, bytes)), deque[int]()
        waiting = [line if isinstance(line, Raised) else None for line in lines]
        del lines  # what was sent is here no longer than it must be
        found: list[Outcome] = []
        for number, uncarried in enumerate(waiting, first):
            if uncarried is not None:
                found.append(uncarried)
                continue
            if sum(ahead) <= AHEAD // 2:  # several lines in one write cost little more than one
                more = list(_fitting(left, AHEAD - sum(ahead), alone=not ahead))
                process.send(b"".join(more), deadline)
                ahead.extend(map(len, more))
            found.append(_outcome(process.receive(deadline), number))
            ahead.popleft()
        return found

    def _line(self, number: int, request: Request) -> bytes | Raised:
        """The message of a call; where this version of the protocol cannot carry it, a refusal that was declared."""
        try:
            return line({
                "do": "run", "number": number, "specification": request.specification, "operator": request.operator,
                "opset": request.opset, "time_limit": request.time_limit, "outputs": list(request.outputs),
                "attributes": encode_attributes(request.attributes, self._version),
                "inputs": encode_inputs(request.inputs, self._version),
                **({"model": base64.b64encode(request.model).decode()} if self._wants_model else {})})
        except UncarriedError as error:
            gap = one_line(f"version {self._version} of the protocol of stdio: cannot carry {error}")
            return Raised("check", "UncarriedError", gap, gap)


def _fitting(left: deque[bytes], room: int, alone: bool) -> Iterator[bytes]:
    """Take the lines that fit, of those that are left; the first one, where it comes `alone`, whatever its size."""
    while left and (alone or len(left[0]) < room):
        room, alone = room - len(left[0]), False
        yield left.popleft()


def _outcome(answer: dict[str, Any], number: int) -> Outcome:
    """An answer to the call of that number. Raises what wrong data makes the readers raise."""
    if answer["number"] != number:
        raise ValueError("it answers another request")
    found = {"gap": answer.get("gap"), "provider": answer.get("provider")}
    if "refused" in answer:
        refused = answer["refused"]
        found["error"] = {"phase": refused.get("phase", "run"), "type": refused.get("type", "refused"),
                          "message": refused["message"]}
    else:
        found["outputs"] = answer["outputs"]
    return outcomes(found, decode)
