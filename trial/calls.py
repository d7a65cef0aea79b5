"""Puts cases to a backend as requests: one by one, or with those that come later where the backend takes batches.

A batch holds calls of one operator, domain and opset, each of which the specification allows and the backend declares,
and of none of which it is known that it ends the process: what would spoil a batch is put alone. Outcomes are kept
until their case is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from plumbline.backends import Asking, Failed, Outcome, Raised, Request, to_request
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.trial.known import KnownDivergences

Put = tuple[Case, str]
"""A case and a form."""

Key = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Taken:
    """What came of a case in a form; a part of the time of the batch, if it was `together` with others."""

    outcome: Outcome
    seconds: float
    together: bool


@dataclass(eq=False)
class Calls:
    """The road from cases to outcomes. `plan` says what will be asked for, in order."""

    asking: Asking
    time_limit: float
    plan: Sequence[Put] = ()
    known: KnownDivergences = field(default_factory=KnownDivergences)
    _held: dict[Key, Taken] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {_key(put): place for place, put in enumerate(self.plan)}

    def take(self, put: Put) -> Taken:
        """The outcome of a case in a form."""
        key = _key(put)
        if key not in self._held:
            self._held.update(self._fetch(self._with_next(put)))
        return self._held.pop(key)

    def alone(self, put: Put) -> Taken:
        """The outcome of a case in a form when nothing else is asked at the same time."""
        return self._fetch([put])[_key(put)]

    def distrust(self) -> None:
        """Ask one by one from now on, and forget what is not yet taken."""
        self.asking.batch = 1
        self._held.clear()

    def _with_next(self, put: Put) -> list[Put]:
        place = self._places.get(_key(put))
        if self.asking.batch == 1 or place is None or not self._joins(put):
            return [put]
        chosen = [put]
        for other in self.plan[place + 1:]:
            if len(chosen) == self.asking.batch:
                break
            if _kind(other) == _kind(put) and _key(other) not in self._held and self._joins(other):
                chosen.append(other)
        return chosen

    def _joins(self, put: Put) -> bool:
        """Whether nothing is known that would spoil a batch."""
        spec, request = load_spec(put[0].spec), self._request(put)
        return (isinstance(request, Request) and not spec.violations(put[0].call)
                and self.asking.undeclared(request) is None and not self.known.may_end(spec, *put))

    def _fetch(self, puts: list[Put]) -> dict[Key, Taken]:
        requests = [self._request(put) for put in puts]
        began = time.perf_counter()
        if not isinstance(requests[0], Request):  # it stands alone: what has no request joins no batch
            found: list[Outcome] = [requests[0]]
        else:
            found = self.asking.put(requests)
        seconds = (time.perf_counter() - began) / len(puts)
        return {_key(put): Taken(outcome, seconds, len(puts) > 1) for put, outcome in zip(puts, found, strict=True)}

    def _request(self, put: Put) -> Request | Failed | Raised:
        case, form = put
        call = case.call.asking_for(*form.split("+"))
        try:
            return to_request(load_spec(case.spec), call, case.opset, self.time_limit)
        except (ValueError, TypeError) as error:
            why = f"no ONNX model can hold this call: {error}"
            # Of a call outside the domain that is an answer: nobody is asked, and it is refused before it is made.
            return Raised("check", type(error).__name__, why) if load_spec(case.spec).violations(call) else Failed(why)


def _key(put: Put) -> Key:
    return put[0].spec, put[0].id, put[1]


def _kind(put: Put) -> tuple[str, str | None, int]:
    return put[0].call.operator, load_spec(put[0].spec).domain, put[0].opset
