"""Host for a program, `stdio:COMMAND`, that answers over stdin and stdout.

It is for runtimes in other languages; docs/protocol.md defines the protocol. Each call is a line of JSON, and so is its
answer. Some lines are written in advance, as many as a pipe holds, so that neither side waits for the other.
"""

from __future__ import annotations

import base64
import shlex
import shutil
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from plumbline.backends import worker
from plumbline.backends.conversation import LARGEST_DESCRIPTION, Conversation
from plumbline.backends.foreign_text import TEXT, one_line
from plumbline.backends.hosts import StartError, outcome_of, repeat_share
from plumbline.backends.outcomes import Crashed, Outcome, Raised
from plumbline.backends.process import BATCH_LIMIT, Isolated
from plumbline.backends.request import Request
from plumbline.backends.scripts import of_conversation
from plumbline.backends.wire import VERSIONS, UncarriedError, decode, encode_attributes, encode_inputs, line

OLD = ("the program speaks version {version} of the protocol of stdio:; calls that only a later version carries (NaN, "
       "infinities and texts, docs/protocol.md) are unsupported")

NEAR = 0.8
"""How like a known key an unknown one is that is taken for mistyped, of 1."""

UNANSWERED = 1 << 15
"""Bytes of unanswered lines: no pipe of any system holds fewer."""

KINDS = {"plumbline": int, "name": str, "version": str, "specifications": list, "capabilities": list, "about": dict,
         "address_limit": bool, "not_implemented": list, "model": bool}
"""The type of each value of the answer to the start."""


@dataclass(eq=False)
class Stdio(Isolated):
    """A program, with its command line as for a shell. Raises StartError.

    declared: for a program of the suite, what its adapter's file says of it, and the program does not."""

    command: str
    declared: Mapping[str, Any] = field(default_factory=dict)
    farewell = b'{"do":"stop"}\n'

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """Run a request with several inputs, a share of them twice. Raises StartError."""
        requests = [replace(request, inputs=arrays) for arrays in inputs]
        first = self._ask(requests, request.time_limit * min(len(inputs), BATCH_LIMIT))
        if not isinstance(first, list):
            return [self.run(each) for each in requests]
        return repeat_share(first, request.model, lambda number: self.run(requests[number]))

    def _command(self) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise StartError(f"not a command line: {error}") from None
        if not words or shutil.which(words[0]) is None:
            raise StartError(f"there is no program {words[0] if words else ''!r}")
        return words

    def _greet(self, process: Conversation, deadline: float) -> dict[str, Any]:
        """Return the identity that a new process sends.

        deadline: by `time.monotonic`. Raises ValueError for an answer against docs/protocol.md."""
        process.send(line({"do": "start", "plumbline": VERSIONS[0], "versions": VERSIONS}), deadline)
        said: dict[str, Any] = process.receive(deadline, LARGEST_DESCRIPTION)
        missing = [key for key in ("plumbline", "name", "version") if key not in said]
        if missing:
            raise ValueError(f"its answer to the start has no {missing[0]!r}; see docs/protocol.md")
        wrong = [key for key, kind in KINDS.items() if key in said and type(said[key]) is not kind]
        if wrong or not all(isinstance(part, str) for part in said.get("not_implemented", ())):
            raise ValueError(f"{(wrong or ['not_implemented'])[0]!r} in its answer to the start is of another type "
                             "than docs/protocol.md says")
        for key in said:  # any other unknown key may be of a later version, or the program's own
            near = get_close_matches(key, KINDS, 1, NEAR) if key not in (*KINDS, "reproduce") else []
            note = one_line(f"the answer to the start has the unknown key {key!r}, which is ignored; did you mean "
                            f"{''.join(near)!r}?")
            if near and note not in self.notes:
                self.notes.append(note)
        self._version = said["plumbline"]
        if self._version not in VERSIONS:
            raise ValueError(f"it speaks version {self._version!r} of the protocol, not "
                             f"{' or '.join(map(str, VERSIONS))}")
        if self._version < VERSIONS[-1] and (note := OLD.format(version=self._version)) not in self.notes:
            self.notes.append(note)
        self._wants_model = said.get("model") is True
        keys = ("name", "version", "capabilities", "address_limit", "not_implemented")
        return {"specifications": worker.SPECIFICATIONS, "batch": worker.BATCH,
                **{key: said[key] for key in (*keys, "specifications") if key in said},
                "about": {**({} if self.declared else {"command": self.command}), **said.get("about", {})},
                "reproduce": said.get("reproduce") or of_conversation(self.command, self._wants_model, self._version),
                **self.declared}

    def _exchange(self, process: Conversation, requests: Sequence[Request],
                  deadline: float) -> list[Outcome] | Outcome:
        first = self._number
        self._number += len(requests) - 1
        lines = [self._line(number, request) for number, request in enumerate(requests, first)]
        unsent, sizes = deque(line for line in lines if isinstance(line, bytes)), deque[int]()
        refusals = [line if isinstance(line, Raised) else None for line in lines]
        del lines  # frees the memory of what was sent
        answers: list[Outcome] = []
        for number, refusal in enumerate(refusals, first):
            if refusal is not None:
                answers.append(refusal)
                continue
            if sum(sizes) <= UNANSWERED // 2:  # several lines in one write cost little more than one
                more = list(_take_fitting(unsent, UNANSWERED - sum(sizes), first=not sizes))
                process.send(b"".join(more), deadline)
                sizes.extend(map(len, more))
            answers.append(_outcome(process.receive(deadline), number))
            sizes.popleft()
        return answers

    def _line(self, number: int, request: Request) -> bytes | Raised:
        """Return the message of a call, or a declared refusal."""
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


def _take_fitting(lines: deque[bytes], room: int, first: bool) -> Iterator[bytes]:
    """Remove and yield fitting lines; a `first` one always fits."""
    while lines and (first or len(lines[0]) < room):
        room, first = room - len(lines[0]), False
        yield lines.popleft()


def _outcome(answer: dict[str, Any], number: int) -> Outcome:
    """Return the outcome of the call of that number. Raises what wrong data makes the readers raise."""
    if not isinstance(answer, dict) or "number" not in answer:
        raise ValueError("it has no 'number'; see docs/protocol.md")
    if type(answer["number"]) is not int or answer["number"] != number:  # true is equal to 1
        raise ValueError(f"it answers another request: its number is {answer['number']!r}, and {number} is due")
    common = {"gap": answer.get("gap"), "provider": answer.get("provider")}
    if "crashed" in answer:
        return Crashed(one_line(answer["crashed"], TEXT))
    if "refused" in answer:
        refused = answer["refused"]
        return outcome_of({**common, "error": {"phase": refused.get("phase", "run"), "message": refused["message"],
                                               "type": refused.get("type", "refused")}}, decode)
    if not isinstance(answer.get("outputs"), dict):
        raise ValueError("it has no 'outputs', tensors by name, nor 'refused' or 'crashed'; see docs/protocol.md")
    for name, tensor in answer["outputs"].items():
        missing = [key for key in ("dtype", "shape", "data") if not isinstance(tensor, dict) or key not in tensor]
        if missing:
            raise ValueError(f"the output {name!r} has no {missing[0]!r}; see docs/protocol.md")
    return outcome_of({**common, "outputs": answer["outputs"]}, decode)
