"""A backend in the process of the suite: fast, and for one that is trusted not to crash.

What it may change for everyone in the process is looked at around its calls. When that is not what it was it is put
right, the calls are put again in a process of their own where there is a way to start one, and so are all that follow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from plumbline.backends import worker
from plumbline.backends.foreign_text import plain_identity
from plumbline.backends.hosts import Host, message, outcomes, refused, submit_share_again
from plumbline.backends.outcomes import Answered, Crashed, Failed, Outcome
from plumbline.backends.request import Request
from plumbline.backends.surroundings import Surroundings

Found = TypeVar("Found")


class InProcess:
    """An adapter in this process. `start` starts it in a process of its own."""

    def __init__(self, adapter: Any, start: Callable[[], Host] | None = None) -> None:
        self.adapter = adapter
        self.identity = plain_identity(worker.describe(adapter))
        self.notes: list[str] = []
        self.before_end: list[Request] = []
        self._served, self._start = worker.Served(adapter), start
        self._surroundings = Surroundings()
        self._elsewhere: Host | None = None
        self._witness: Host | None = None

    def run(self, request: Request) -> Outcome:
        """The outcome of one request, by the same code that a worker answers with."""
        found = self.run_many([request])
        return found[0] if isinstance(found, list) else found

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """The outcomes of a batch."""
        if self._elsewhere is not None:
            return self._put_elsewhere(requests)
        return self._watched(lambda: self._put_here(requests), lambda: self._put_elsewhere(requests))

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """The outcomes of one request with each of several inputs. Nothing travels as text, and an adapter that can
        `prepare` a model does so once. A share of the inputs is put a second time, the last first."""
        def elsewhere() -> list[Outcome]:
            return [self._elsewhere.run(replace(request, inputs=given)) for given in inputs]

        return elsewhere() if self._elsewhere is not None else self._watched(
            lambda: self._with_inputs(request, inputs), elsewhere)

    @property
    def is_elsewhere(self) -> bool:
        """Whether calls are no longer put in this process."""
        return self._elsewhere is not None

    def fresh(self) -> Host | None:
        """In a process of its own."""
        return self._start() if self._start is not None else None

    @property
    def witness(self) -> Host | None:
        """In a process of its own, for what is put twice."""
        if self._witness is None:
            self._witness = self.fresh()
        return self._witness

    def close(self) -> None:
        """End what was started."""
        for host in (self._elsewhere, self._witness):
            if host is not None:
                host.close()

    def _watched(self, here: Callable[[], Found], elsewhere: Callable[[], Found]) -> Found:
        found = here()
        changed = self._surroundings.restored()
        if not changed:
            return found
        text = f"in the process of the suite a call changed {' and '.join(changed)}, which was put right"
        if self._start is None:
            self.notes.append(text)
            return found
        self.notes.append(f"{text}; it and all later calls were put in a process of their own")
        self._elsewhere = self._start()
        return elsewhere()

    def _put_here(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """As if it travelled: neither side sees the memory of the other."""
        body, data = message(0, requests)
        text, found = self._served.answer(json.loads(json.dumps(body)), [part.copy() for part in data])
        received = [part.copy() for part in found]
        return outcomes(json.loads(text), lambda array: worker.decode(array, received))

    def _put_elsewhere(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        host = self._elsewhere
        found = [host.run(requests[0])] if len(requests) == 1 else host.run_many(requests)
        self.before_end = host.before_end
        return found

    def _with_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        gap, ready = worker.gap_of(self.adapter, request), None
        if request.model and hasattr(self.adapter, "prepare"):
            try:
                ready = self.adapter.prepare(request.model)
            except Exception as error:
                return [_refused(error, gap)] * len(inputs)
        found = [self._with_input(request, given, ready, gap) for given in inputs]
        return submit_share_again(found, request.model,
                                  lambda place: self._with_input(request, inputs[place], ready, gap))

    def _with_input(self, request: Request, given: Mapping[str, np.ndarray], ready: Any, gap: str | None) -> Outcome:
        copies = {name: array.copy() for name, array in given.items()}
        try:
            if ready is None:
                found = self.adapter.run(replace(request, inputs=copies))
            else:
                found = dict(zip(request.outputs, ready(list(request.outputs), copies), strict=True))
        except Exception as error:
            return _refused(error, gap)
        if not isinstance(found, dict):
            return Failed(f"the adapter answered a {type(found).__name__}, not outputs by name")
        try:
            arrays = {str(name): worker.check(np.array(array)) for name, array in found.items()}
        except TypeError as error:
            return Failed(f"the adapter gave {error}")
        kept = [(name, array, worker.digest_of(given[name])) for name, array in copies.items()]
        return Answered(arrays, gap, harm=self._served.harm(kept, [found]))


def _refused(error: Exception, gap: str | None) -> Outcome:
    if isinstance(error, MemoryError):
        return Crashed("out of memory", str(error))
    return refused(worker.refusal(error, gap, None)["error"], gap)
