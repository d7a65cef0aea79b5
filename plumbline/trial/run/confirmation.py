"""Repeat calls that accuse a backend, to confirm the verdict.

Every accusation is repeated, and a share of the other calls: after other calls, or in a process that only runs repeated
calls. A call that crashed or exceeded its time limit runs alone in a fresh process, with more time if it was too slow.
If it is answered there, the calls before it are searched by halves for those that did the damage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from plumbline.backends import Answered, Crashed, Host, Hung, Outcome, Raised, Request, StartError
from plumbline.backends.outcomes import difference, in_words
from plumbline.oracle import load_spec
from plumbline.trial.record.judge import ACCUSES, Verdict
from plumbline.trial.run.submission import Calls, Submission, Taken

PATIENCE = 5
"""How many times its time a call has that is put again since its time was up: the machine may have been busy. One that
took a larger part of its time before may lack it again."""

SEARCH = 60.0
"""Seconds for one search; what takes longer is reported as far as it is known."""

SEARCHES = 4
"""Searches among the calls of one plan. A backend that falls over all the time needs no more to be known."""

NAMED = 3
"""Calls that are named where several did the damage together."""

FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
"""Ends that anybody on the machine can cause, the system itself when memory runs out."""

Judge = Callable[[Outcome], Verdict]


def confirmed(submission: Submission, taken: Taken, verdict: Verdict, calls: Calls, judge: Judge
              ) -> tuple[Taken, Verdict]:
    """Return the final outcome and verdict of a call, after repeating it.

    submission: the case and its form, the outputs asked for.
    taken:      the first outcome; `verdict` is the verdict on it.
    calls:      runs the repetitions.
    judge:      returns the verdict on another outcome of the same call."""
    if isinstance(taken.earlier, (Crashed, Hung)):
        taken = replace(taken, outcome=taken.earlier, earlier=None)
        verdict = judge(taken.outcome)
    if isinstance(taken.outcome, (Crashed, Hung)):
        return _end(submission, taken, verdict, calls, judge)
    if not isinstance(taken.outcome, (Answered, Raised)) or taken.outcome.harm:
        return taken, verdict
    for when, other in _others(submission, taken, verdict, calls):
        if isinstance(other, Hung) and taken.seconds * PATIENCE > calls.time_limit:
            case, form = submission
            calls.host.notes.append(f"{case.spec} {case.id} [{form}]: answered after {taken.seconds:.1f} s; {when}, "
                                    f"{in_words(other)}; this is not held against the backend")
            continue
        words = difference(taken.outcome, other)
        if words is not None:
            second = judge(other)
            if isinstance(other, Answered) and _is_random(submission):
                if verdict.verdict not in ACCUSES and second.verdict in ACCUSES:
                    taken, verdict = replace(taken, outcome=other), second
            elif isinstance(other, (Crashed, Hung)) or _is_judged(verdict, second):
                again = other.outputs if isinstance(other, Answered) else None
                calls.asking.unsteady.add(submission[0].call.operator)
                if other is taken.earlier and verdict.verdict not in ACCUSES:
                    taken = replace(taken, after=taken.earlier_after)
                return taken, Verdict("unstable", _clauses(verdict, second), None, f"{when} {words}", again=again)
            return taken, replace(verdict, did=f"{verdict.did}; {when} {words}, as the text allows")
    return taken, verdict


def _others(submission: Submission, taken: Taken, verdict: Verdict, calls: Calls) -> Iterator[tuple[str, Outcome]]:
    """Yield other outcomes of the same call, each with its circumstances."""
    if taken.in_batch is not None:
        yield "put in a batch", taken.in_batch
    if taken.earlier is not None:
        yield "put after other calls", taken.earlier
    if verdict.verdict in ACCUSES:
        yield "put again", calls.alone(submission).outcome
        witness = calls.witness(submission)
        if witness is not None:
            yield "put to another process", witness
        elif calls.submit_another(submission):
            yield "put after another call", calls.alone(submission).outcome


def _is_random(submission: Submission) -> bool:
    """Return True if each run of the call may draw its answer anew."""
    case, _ = submission
    return load_spec(case.spec).judged(case.call).is_random


def _is_judged(first: Verdict, second: Verdict) -> bool:
    """Return True unless the specification allows both of two verdicts."""
    found = {first.verdict, second.verdict}
    return bool(found & {*ACCUSES}) or found == {"conforms", "unsupported"}


def _clauses(first: Verdict, second: Verdict) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first.clauses, *second.clauses])) if first.divergences or second.divergences else ()


def _end(submission: Submission, taken: Taken, verdict: Verdict, calls: Calls, judge: Judge) -> tuple[Taken, Verdict]:
    """Repeat a call that crashed or hung, alone in a fresh process."""
    request, outcome = calls.request(submission), taken.outcome
    if not isinstance(request, Request) or not isinstance(outcome, (Crashed, Hung)):
        return taken, verdict
    if isinstance(outcome, Hung):
        request = replace(request, time_limit=PATIENCE * request.time_limit)
    alone = _after([], request, calls.host)
    if alone is None or _is_end(alone):
        return taken, verdict
    before = taken.before
    calls.searches += 1
    if calls.searches > SEARCHES:
        return taken, Verdict("unstable", (), None, f"{in_words(outcome)}; alone in a fresh process it "
                              f"{_answer(alone)}; after {SEARCHES} searches the {len(before)} calls before it were not "
                              "searched")
    found = _damage(before, request, calls.host)
    if found is not None:
        return taken, replace(verdict, did=f"{verdict.did}; alone in a fresh process it {_answer(alone)}: it takes "
                                           f"{_named(found)} before it")
    text = (f"{in_words(outcome)}; put again, alone in a fresh process and after the same {len(before)} calls, it "
            f"{_answer(alone)}")
    if isinstance(outcome, Hung) or outcome.how in FROM_OUTSIDE:
        case, form = submission
        calls.host.notes.append(f"{case.spec} {case.id} [{form}]: {text}; this is not held against the backend")
        return replace(taken, outcome=alone), judge(alone)
    return taken, Verdict("unstable", (), None, text)


def _damage(before: Sequence[Request], request: Request, host: Host) -> list[Request] | None:
    """Return few calls after which this one ends its process. None if it does not even after all of them."""
    end = time.monotonic() + SEARCH
    kept = list(before)
    if not kept or not _is_end(_after(kept, request, host)):
        return None
    while len(kept) > 1 and time.monotonic() < end:
        halves = kept[len(kept) // 2:], kept[:len(kept) // 2]
        half = next((half for half in halves if _is_end(_after(half, request, host))), None)
        if half is None:
            break
        kept = half
    return kept


def _after(before: Sequence[Request], request: Request, host: Host) -> Outcome | None:
    """Return the outcome of a call after others in a fresh process, or of the first that ends it.

    Each has the time limit of the request; None if there is no fresh process."""
    try:
        fresh = host.fresh()
        if fresh is None:
            return None
        try:
            for other in before:
                found = fresh.run(replace(other, time_limit=request.time_limit))
                if _is_end(found):
                    return found
            return fresh.run(request)
        finally:
            fresh.close()
    except StartError:
        return None


def _is_end(outcome: Outcome | None) -> bool:
    return isinstance(outcome, (Crashed, Hung))


def _answer(outcome: Outcome) -> str:
    return "is answered" if isinstance(outcome, Answered) else f"is {in_words(outcome)}"


def _named(requests: Sequence[Request]) -> str:
    names = ", ".join(request.label or request.operator for request in requests[:NAMED])
    if len(requests) == 1:
        return names
    return f"{len(requests)} calls ({names}{', ...' if len(requests) > NAMED else ''})"
