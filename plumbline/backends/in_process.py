"""Run a trusted backend in the process of the suite.

A call may change state that everyone in the process shares (`backends.surroundings`). Then that state is restored, and
the call and all later ones run in a process of their own, where there is a way to start one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from plumbline.backends import worker
from plumbline.backends.hosts import Host, message, outcomes, refused, repeat_share
from plumbline.backends.identity import Identity
from plumbline.backends.outcomes import Answered, Crashed, Failed, Outcome
from plumbline.backends.request import Request
from plumbline.backends.surroundings import Surroundings

Answer = TypeVar("Answer")


class InProcess:
    """An adapter in this process. `start` starts it in a process of its own."""

    def __init__(self, adapter: Any, start: Callable[[], Host] | None = None) -> None:
        self.adapter = adapter
        self.identity = Identity.read(worker.describe(adapter))
        self.notes: list[str] = []
        self.before_end: Sequence[Request] = []
        self._served, self._start = worker.Served(adapter), start
        self._surroundings = Surroundings()
        self._outside: Host | None = None
        self._witness: Host | None = None

    def run(self, request: Request) -> Outcome:
        """Run one request, with the code that a worker runs it with."""
        answer = self.run_many([request])
        return answer[0] if isinstance(answer, list) else answer

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Run a batch."""
        return self._run(lambda: self._run_here(requests), lambda host: self._run_outside(host, requests))

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """Run a request with several inputs, a share of them twice.

        Nothing is serialised, and an adapter with `prepare` loads the model once."""
        return self._run(lambda: self._run_inputs_here(request, inputs),
                         lambda host: [host.run(replace(request, inputs=arrays)) for arrays in inputs])

    @property
    def is_outside(self) -> bool:
        """True once calls run in another process."""
        return self._outside is not None

    def fresh(self) -> Host | None:
        """Return the backend in a process of its own."""
        return self._start() if self._start is not None else None

    @property
    def witness(self) -> Host | None:
        """The backend in a process of its own, for repeated calls."""
        if self._witness is None:
            self._witness = self.fresh()
        return self._witness

    def close(self) -> None:
        """End what was started."""
        for host in (self._outside, self._witness):
            if host is not None:
                host.close()

    def _run(self, here: Callable[[], Answer], outside: Callable[[Host], Answer]) -> Answer:
        """Run calls here, unless they or earlier ones change shared state."""
        if self._outside is not None:
            return outside(self._outside)
        answer = here()
        changed = self._surroundings.restored()
        if not changed:
            return answer
        text = f"in the process of the suite a call changed {' and '.join(changed)}, which was put right"
        if self._start is None:
            self.notes.append(text)
            return answer
        self.notes.append(f"{text}; it and all later calls were run in a process of their own")
        self._outside = self._start()
        return outside(self._outside)

    def _run_here(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Run a batch on copies, so that no memory is shared."""
        body, data = message(0, requests)
        text, arrays = self._served.answer(json.loads(json.dumps(body)), [part.copy() for part in data])
        received = [array.copy() for array in arrays]
        return outcomes(json.loads(text), lambda array: worker.decode(array, received))

    def _run_outside(self, host: Host, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        answer = [host.run(requests[0])] if len(requests) == 1 else host.run_many(requests)
        self.before_end = host.before_end
        return answer

    def _run_inputs_here(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        gap, prepared = worker.gap_of(self.adapter, request), None
        if request.model and hasattr(self.adapter, "prepare"):
            try:
                prepared = self.adapter.prepare(request.model)
            except Exception as error:
                return [_refused(error, gap, self.adapter)] * len(inputs)
        first = [self._run_input(request, arrays, prepared, gap) for arrays in inputs]
        return repeat_share(first, request.model,
                            lambda number: self._run_input(request, inputs[number], prepared, gap))

    def _run_input(self, request: Request, arrays: Mapping[str, np.ndarray], prepared: worker.Prepared | None,
                   gap: str | None) -> Outcome:
        """Run a request with other inputs.

        arrays:   the inputs by name; copies of them are passed on.
        prepared: the loaded model, None for an adapter that only runs requests.
        gap:      why the call is outside the declared capabilities, None if it is inside."""
        copies = {name: array.copy() for name, array in arrays.items()}
        try:
            if prepared is None:
                answer = self.adapter.run(replace(request, inputs=worker.Named(copies, request.names)))
            else:
                answer = dict(zip(request.outputs, prepared(list(request.outputs), copies), strict=True))
        except Exception as error:
            return _refused(error, gap, self.adapter)
        if not isinstance(answer, dict):
            return Failed(f"the adapter answered a {type(answer).__name__}, not outputs by name")
        try:
            outputs = {name: _copied(array) for name, array in worker.by_own_names(answer, request).items()}
        except (TypeError, UnicodeError) as error:
            return Failed(f"the adapter gave {error}")
        before = [(name, array, worker.digest_of(arrays[name])) for name, array in copies.items()]
        return Answered(outputs, gap, harm=self._served.harm(before, [answer]))


def _copied(array: Any) -> np.ndarray:
    """Return an output as a worker sends it. Raises TypeError and UnicodeError as `worker.encode` does."""
    data: list[np.ndarray] = []
    return worker.decode(worker.encode(np.array(array), data), data)


def _refused(error: Exception, gap: str | None, adapter: Any) -> Outcome:
    if isinstance(error, MemoryError):
        return Crashed("out of memory", str(error))
    answer = worker.refusal(error, gap, None, adapter)
    return refused(answer["error"], answer["gap"])
