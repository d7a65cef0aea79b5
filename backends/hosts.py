"""Hosts run an adapter: in this process, in a worker (`backends.process`), or as a program (`backends.program`).

What is here: what every host is, how requests and answers travel, and the host in this process.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from plumbline.backends import worker
from plumbline.backends.outcomes import Answered, Crashed, Failed, Outcome, Raised
from plumbline.backends.request import Request


class StartError(RuntimeError):
    """A host that did not get ready; the text ends with the last lines it wrote to stderr."""


class Host(Protocol):
    """Runs requests.

    identity: who answers: name, version, about, and what it declares.
    notes:    what happened that belongs to no call, in one line each.
    """

    identity: dict[str, Any]
    notes: list[str]

    def run(self, request: Request) -> Outcome:
        """The outcome of one request. Raises StartError when a new process is needed and does not get ready."""

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """The outcomes of a batch, or the one that it had as a whole. Raises StartError."""

    def close(self) -> None:
        """End what was started."""


def message(number: int, requests: Sequence[Request]) -> dict[str, Any]:
    """Requests as JSON."""
    return {"number": number, "requests": [
        {"model": base64.b64encode(request.model).decode(), "operator": request.operator,
         "attributes": dict(request.attributes), "opset": request.opset, "outputs": list(request.outputs),
         "inputs": {name: worker.encode(array) for name, array in request.inputs.items()},
         "time_limit": request.time_limit, "specification": request.specification} for request in requests]}


def outcomes(answer: dict[str, Any]) -> list[Outcome] | Outcome:
    """An answer from JSON. Raises what wrong data makes the readers raise."""
    return [_outcome(part) for part in answer["answers"]] if "answers" in answer else _outcome(answer)


def _outcome(answer: dict[str, Any]) -> Outcome:
    if "failed" in answer:
        return Failed(plain(answer["failed"]))
    if "memory" in answer:
        return Crashed("out of memory", plain(answer["memory"]))
    if "error" in answer:
        return Raised(**{key: plain(text) for key, text in answer["error"].items()}, gap=_plain(answer["gap"]))
    return Answered({plain(name): worker.decode(array) for name, array in answer["outputs"].items()},
                    _plain(answer["gap"]), _plain(answer["provider"]))


def plain(text: str) -> str:
    """A text that harms no terminal and no file: what cannot be printed is written as an escape."""
    return "".join(letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
                   for letter in text.replace("\t", " "))


def _plain(text: str | None) -> str | None:
    return None if text is None else plain(text)


class InProcess:
    """An adapter in this process: fast, and for adapters that one trusts not to crash."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.identity = worker.describe(adapter)
        self.notes: list[str] = []

    def run(self, request: Request) -> Outcome:
        """The outcome of one request, by the same code that a worker answers with."""
        found = self.run_many([request])
        return found[0] if isinstance(found, list) else found

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """The outcomes of a batch."""
        return outcomes(json.loads(worker.answer(self.adapter, json.loads(json.dumps(message(0, requests))))))

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """The outcomes of one request with each of several inputs. Nothing travels as text, and an adapter that can
        `prepare` a model does so once."""
        gap, ready = worker.gap_of(self.adapter, request), None
        if request.model and hasattr(self.adapter, "prepare"):
            try:
                ready = self.adapter.prepare(request.model)
            except Exception as error:
                return [self._refused(error, gap)] * len(inputs)
        return [self._with_input(request, given, ready, gap) for given in inputs]

    def _with_input(self, request: Request, given: Mapping[str, np.ndarray], ready: Any, gap: str | None) -> Outcome:
        copies = {name: array.copy() for name, array in given.items()}
        try:
            if ready is None:
                found = self.adapter.run(replace(request, inputs=copies))
            else:
                found = dict(zip(request.outputs, ready(list(request.outputs), copies), strict=True))
        except Exception as error:
            return self._refused(error, gap)
        if not isinstance(found, dict):
            return Failed(f"the adapter answered a {type(found).__name__}, not outputs by name")
        arrays = {str(name): np.array(array) for name, array in found.items()}
        foreign = next((array for array in arrays.values() if not worker.is_real(array)), None)
        return Answered(arrays, gap) if foreign is None else Failed(f"the adapter gave an array of {foreign.dtype}")

    @staticmethod
    def _refused(error: Exception, gap: str | None) -> Outcome:
        return Crashed("out of memory", str(error)) if isinstance(error, MemoryError) else \
            _outcome(worker.refusal(error, gap))

    def close(self) -> None:
        """Nothing was started."""
