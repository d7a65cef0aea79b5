"""Submit cases to a backend, batching where it can.

A batch holds calls of one operator, domain and opset, each of which the specification allows and the backend declares,
and none of which is known to end the process: such calls run alone. Outcomes are kept until their case is asked for.

One call in `SHARE` runs twice, the first time before its turn, after other calls than those of the plan. Its name alone
decides.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from plumbline.backends import Asking, Crashed, Failed, Host, Hung, Outcome, Raised, Request, StartError, to_request
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.judge import ACCUSES, Verdict

Submission = tuple[Case, str]
"""A case and a form."""

Key = tuple[str, str, str]

SHARE = 16
"""Of so many calls one is put twice; of those of a backend that takes batches one in each of so many batches."""

FRESH = 60.0
"""Seconds for calls in fresh processes of their own."""


@dataclass(frozen=True, eq=False)
class Taken:
    """The outcome of a case in a form.

    seconds:  its time; if it ran `together` with others, its share of the time of the batch.
    before:   if the process ended over it, the requests that the process had run.
    earlier:  its outcome when it ran before its turn.
    in_batch: its outcome in a batch, if that accuses the backend, so that it ran again alone.
    after:    the call submitted before it, None if it was the first.
    earlier_after: the call submitted before `earlier`.
    """

    outcome: Outcome
    seconds: float
    together: bool
    before: Sequence[Request] = ()
    earlier: Outcome | None = None
    in_batch: Outcome | None = None
    after: Request | None = None
    earlier_after: Request | None = None


@dataclass(eq=False)
class Calls:
    """Submits cases; `plan` has those that will be asked for, in order."""

    asking: Asking
    time_limit: float
    plan: Sequence[Submission] = ()
    known: KnownDivergences = field(default_factory=KnownDivergences)
    share: int = SHARE
    searches: int = field(init=False, default=0)
    _held: dict[Key, Taken] = field(init=False, default_factory=dict)
    _earlier: dict[Key, Taken] = field(init=False, default_factory=dict)
    _seen: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._places = {_key(submission): place for place, submission in enumerate(self.plan)}

    def take(self, submission: Submission) -> Taken:
        """Return the outcome of a case in a form."""
        key = _key(submission)
        self._submit_ahead(submission)
        if key not in self._held:
            self._held.update(self._fetch(self._with_next(submission)))
        taken, earlier = self._held.pop(key), self._earlier.pop(key, None)
        if earlier is None:
            return taken
        return replace(taken, earlier=earlier.outcome, before=earlier.before or taken.before,
                       earlier_after=earlier.after)

    def alone(self, submission: Submission) -> Taken:
        """Return the outcome of a case in a form when nothing else is asked at the same time.

        The request is built anew: nothing of it comes from the cache."""
        return self._fetch([submission], is_anew=True)[_key(submission)]

    def is_current(self, submission: Submission) -> bool:
        """Return whether the cached model of a case in a form, if there is one, is the one that is built now."""
        case, form = submission
        if _cached_model(case, form) is None:
            return True
        cached, built = self.request(submission), self.request(submission, is_anew=True)
        return isinstance(cached, Request) and isinstance(built, Request) and cached.model == built.model

    def witness(self, submission: Submission) -> Outcome | None:
        """Return the outcome in a process that only runs repeated calls.

        That process has a history too: an operator whose answers changed runs in a fresh process, for `FRESH` seconds
        in all. None if there is no such process."""
        request, asking = self.request(submission, is_anew=True), self.asking
        if not isinstance(request, Request):
            return None
        try:
            if request.operator in asking.unsteady and asking.spent < FRESH:
                return self._in_fresh_process(request)
            witness = self.host.witness
            return witness.run(request) if witness is not None else None
        except StartError:
            return None

    def is_doubtful(self, submission: Submission, verdict: Verdict) -> bool:
        """Return True if calls before it may be why it accuses: answers of the operator change, and no time was left to
        ask a fresh process."""
        request, asking = self.request(submission), self.asking
        return (verdict.verdict in ACCUSES and isinstance(request, Request) and request.operator in asking.unsteady
                and asking.spent >= FRESH)

    def _in_fresh_process(self, request: Request) -> Outcome | None:
        began, fresh = time.perf_counter(), self.host.fresh()
        try:
            return fresh.run(request) if fresh is not None else None
        finally:
            if fresh is not None:
                fresh.close()
            self.asking.spent += time.perf_counter() - began

    def submit_another(self, submission: Submission) -> bool:
        """Run a call of another case of the plan; return False if there is none."""
        other = next((other for other in self.plan if other[0].id != submission[0].id and self._joins(other)), None)
        if other is not None:
            self.alone(other)
        return other is not None

    @property
    def host(self) -> Host:
        """The backend."""
        return self.asking.host

    def distrust(self) -> None:
        """Stop batching, and drop outcomes that are not yet taken."""
        self.asking.batch = 1
        self._held.clear()

    def _submit_ahead(self, submission: Submission) -> None:
        """Run the calls of this part of the plan that are to run twice, once."""
        place, size = self._places.get(_key(submission)), SHARE * self.asking.batch
        if place is None or not self.share or place // size in self._seen:
            return
        self._seen.add(place // size)
        chosen = [other for other in self.plan[place // size * size:][:size][::-1] if self._is_chosen(other)]
        for batch in self._batches(chosen):
            self._earlier.update(self._fetch(batch))

    def _is_chosen(self, submission: Submission) -> bool:
        return (zlib.crc32(" ".join(_key(submission)).encode()) % self.share == 0
                and isinstance(self.request(submission), Request)
                and not self.known.may_end(load_spec(submission[0].spec), *submission))

    def _batches(self, submissions: Sequence[Submission]) -> Iterator[list[Submission]]:
        joining = [submission for submission in submissions if self.asking.batch > 1 and self._joins(submission)]
        for kind in dict.fromkeys(map(_kind, joining)):
            alike = [submission for submission in joining if _kind(submission) == kind]
            for start in range(0, len(alike), self.asking.batch):
                yield alike[start:start + self.asking.batch]
        yield from ([submission] for submission in submissions if submission not in joining)

    def _with_next(self, submission: Submission) -> list[Submission]:
        place = self._places.get(_key(submission))
        if self.asking.batch == 1 or place is None or not self._joins(submission):
            return [submission]
        chosen = [submission]
        for other in self.plan[place + 1:]:
            if len(chosen) == self.asking.batch:
                break
            if _kind(other) == _kind(submission) and _key(other) not in self._held and self._joins(other):
                chosen.append(other)
        return chosen

    def _joins(self, submission: Submission) -> bool:
        """Return True if a call can be in a batch."""
        spec, request = load_spec(submission[0].spec), self.request(submission)
        return (isinstance(request, Request) and not spec.violations(submission[0].call)
                and self.asking.undeclared(request) is None and not self.known.may_end(spec, *submission))

    def _fetch(self, submissions: list[Submission], is_anew: bool = False) -> dict[Key, Taken]:
        prepared = [self.request(submission, is_anew) for submission in submissions]
        requests = [request for request in prepared if isinstance(request, Request)]
        began, earlier = time.perf_counter(), [self.asking.before, *requests]
        # What has no request joins no batch: it is alone.
        found = self.asking.submit(requests) if requests else [
            outcome for outcome in prepared if not isinstance(outcome, Request)]
        seconds = (time.perf_counter() - began) / len(submissions)
        before = self.host.before_end
        return {_key(submission): Taken(outcome, seconds, len(submissions) > 1,
                                        before if isinstance(outcome, (Crashed, Hung)) else (), after=after)
                for submission, outcome, after in zip(submissions, found, earlier, strict=False)}

    def request(self, submission: Submission, is_anew: bool = False) -> Request | Failed | Raised:
        """Return the request for a case in a form, or why there is none. The cached model is used unless `is_anew`."""
        case, form = submission
        call = case.call.asking_for(*form.split("+"))
        try:
            return to_request(load_spec(case.spec), call, case.opset, self.time_limit,
                              f"{case.spec} {case.id} [{form}]", case.context,
                              None if is_anew else _cached_model(case, form), case.constants)
        except (ValueError, TypeError) as error:
            why = f"no ONNX model can hold this call: {error}"
            # Of a call outside the domain that is an answer: nobody is asked, and it is refused before it is made.
            return Raised("check", type(error).__name__, why) if load_spec(case.spec).violations(call) else Failed(why)


def _cached_model(case: Case, form: str) -> bytes | None:
    return None if case.computed is None else case.computed.models.get(form)


def _key(submission: Submission) -> Key:
    return submission[0].spec, submission[0].id, submission[1]


def _kind(submission: Submission) -> tuple[str, str | None, int]:
    return submission[0].call.operator, load_spec(submission[0].spec).domain, submission[0].opset
