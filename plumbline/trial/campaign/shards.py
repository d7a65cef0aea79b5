"""Shards: consecutive calls of a campaign.

Call k of a campaign depends on specification, seed, k and the backend's declared capabilities alone. The result of a
shard depends on its calls alone, if the backend's answer to a call depends on nothing but the call.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from plumbline.backends import MEMORY_LIMIT, Answered, Asking, Raised, to_request
from plumbline.backends.hosts import BulkHost, is_bulk
from plumbline.backends.identity import Identity
from plumbline.cases import Case
from plumbline.cases.generate.exhaustive import part_case
from plumbline.cases.onnx.contexts import in_one_of
from plumbline.oracle import Spec, load_spec
from plumbline.trial.campaign.bulk import Doubt, add_blocks
from plumbline.trial.campaign.declared_draws import DeclaredDraws
from plumbline.trial.campaign.tally import Cause, Tally
from plumbline.trial.record.judge import ACCUSES, judge_inside
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import MemoryWriter
from plumbline.trial.run.host_cache import CachedHost, cached_host, described
from plumbline.trial.run.session import Session

SHARD = {"process": 1 << 12, "in-process": 1 << 15}
"""Calls of a shard by host: some seconds of work, in which few calls run alone."""

AT_ONCE = 256
"""Calls in memory at once where they run one by one."""

PARTS_AT_ONCE = 16
"""The same for --every, where each call has many values; also the size of a shard."""


@dataclass(frozen=True)
class Job:
    """Calls `start` to `stop` - 1 of a campaign, as plain data.

    backend:      its name on the command line.
    python:       the interpreter of its environment, if it has one of its own.
    form:         the outputs asked for, ``"Y+Indices"``.
    time_limit:   seconds for one call.
    memory_limit: mebibytes, for a backend in a process of its own.
    every:        the type whose values are all run, many in each call; "" for generated calls.
    contexts:     with contexts, each call runs in one of them or alone, and rare features are drawn more often.
    host:         "process", or "in-process": in that of the shard, which is faster, and which a crash ends.
    """

    spec: str
    backend: str
    form: str
    seed: int
    start: int
    stop: int
    time_limit: float = 20.0
    memory_limit: int = MEMORY_LIMIT
    host: str = "process"
    python: str | None = None
    every: str = ""
    contexts: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.stop - self.start


def shards(whole: Job, size: int | None = None) -> Iterator[Job]:
    """Yield the shards of a campaign in order, cut at multiples of `size`."""
    start, size = whole.start, size or (PARTS_AT_ONCE if whole.every else SHARD[whole.host])
    while start < whole.stop:
        stop = min((start // size + 1) * size, whole.stop)
        yield replace(whole, start=start, stop=stop)
        start = stop


def draws_of(job: Job, identity: Identity) -> DeclaredDraws:
    """Return what draws the calls of a campaign for a backend. Raises CapabilityError.

    Calls of --every are not replaced: the user names their type."""
    return DeclaredDraws(load_spec(job.spec), job.form, job.seed, None if job.every else identity)


def cases_of(job: Job, numbers: range, draws: DeclaredDraws) -> Iterator[Case]:
    """Yield the calls of consecutive numbers. Raises what generating them raises."""
    if job.every:
        yield from (part_case(job.spec, job.every, number) for number in numbers)
    elif job.contexts:
        yield from (in_one_of(draws.dense(number), job.contexts, number) for number in numbers)
    else:
        yield from draws.blocks(numbers)


def run_shard(job: Job) -> Tally:
    """Run the calls of a shard. Raises BackendError, KnownError or SpecError."""
    spec = load_spec(job.spec)
    with cached_host(job.backend, job.python, job.memory_limit, job.host) as cached:
        draws = draws_of(job, cached.host.identity)
        try:
            if job.contexts:
                tally = _run_in_contexts(job, cached, draws)
            elif is_bulk(cached.host) and not job.every:
                tally = _run_blocks(job, cached, cached.host, draws)
            else:
                tally = _run_one_by_one(job, cached, draws)
        except Doubt as doubt:
            draws = draws_of(job, cached.host.identity)
            tally = _run_one_by_one(job, cached, draws)
            tally.note([f"{doubt}; the shard was run again, call by call"])
        tally.note(cached.host.notes)
        tally.left_out += draws.left_out
        tally.answered_by[answered(cached.host.identity, spec, draws)] += job.calls
    return tally


def answered(identity: Identity, spec: Spec, draws: DeclaredDraws) -> str:
    """Return who answers and who judges which calls, in one line: tallies of equal texts can be added up."""
    return described(identity, spec) + (f", calls declared by {draws.digest}" if draws.digest else "")


def _run_one_by_one(job: Job, cached: CachedHost, draws: DeclaredDraws) -> Tally:
    outputs, tally, written = load_spec(job.spec).outputs, Tally(), MemoryWriter()
    at_once = PARTS_AT_ONCE if job.every else AT_ONCE
    for start in range(job.start, job.stop, at_once):
        numbers = range(start, min(start + at_once, job.stop))
        submissions = [(case, job.form) for case in cases_of(job, numbers, draws)]
        tally.add_shapes(case.call for case, _ in submissions)
        session = Session(cached.host, cached.known(), written, job.time_limit)
        session.plan(submissions)
        for number, submission in zip(numbers, submissions, strict=True):
            session.submit(*submission)
            tally.add(number, written.lines.pop(), outputs)
    return tally


def _run_in_contexts(job: Job, cached: CachedHost, draws: DeclaredDraws) -> Tally:
    """Run the calls of a shard in contexts: in models with surrounding nodes.

    cached: the running backend. A call without a line is only counted, and its clauses are not."""
    spec, tally, written, known = load_spec(job.spec), Tally(), MemoryWriter(), cached.known()
    session, asking = Session(cached.host, known, written, job.time_limit), Asking(cached.host)
    for number in range(job.start, job.stop):
        case, = cases_of(job, range(number, number + 1), draws)
        tally.add_shapes([case.call])
        call, began = case.call.asking_for(*job.form.split("+")), time.perf_counter()
        outcome, = asking.submit([to_request(spec, call, case.opset, job.time_limit, case.id, case.context)])
        seconds, cause = time.perf_counter() - began, None
        if isinstance(outcome, Answered | Raised) and not outcome.harm:
            verdict = judge_inside(spec.judged(call), outcome)
            entry = known.explain(spec, case, job.form, verdict) if verdict.verdict in ACCUSES else None
            cause = Cause(verdict.verdict, verdict.clauses, entry.id if entry else "")
        if cause is not None and (entry or verdict.verdict not in ACCUSES) and not tally.keeps(cause, number):
            tally.count(cause, (), seconds)
            continue
        session.submit(case, job.form)
        session.results.clear()
        tally.add(number, written.lines.pop(), spec.outputs)
    return tally


def _run_blocks(job: Job, cached: CachedHost, host: BulkHost, draws: DeclaredDraws) -> Tally:
    tally, written, known = Tally(), MemoryWriter(), cached.known()
    session = Session(host, known, written, job.time_limit)

    def alone(case: Case) -> CaseLine:
        session.submit(case, job.form)
        session.results.clear()
        return written.lines.pop()

    add_blocks(tally, job.form, draws=draws, numbers=range(job.start, job.stop), time_limit=job.time_limit, host=host,
               known=known, alone=alone)
    return tally
