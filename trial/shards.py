"""A shard: some of the calls of a campaign, put to a backend and judged by whoever has time.

Call k of a campaign depends on specification, seed and k alone. What a shard comes to depends on its calls, as long as
what a backend does with a call depends on nothing but the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from backends import MEMORY_LIMIT
from cases.generate import generated_case
from oracle import load_spec
from trial.attendance import attending
from trial.session import Session
from trial.tally import Tally

SHARD = 4096
"""Calls of a shard."""

BLOCK = 256
"""Calls that are in memory at once."""

HOSTS = ("process", "in-process")


@dataclass(frozen=True)
class Job:
    """Calls `start` to `stop` - 1 of a campaign, as plain data that travels.

    backend:      as on the command line; `python` is the interpreter of its environment where it has one of its own.
    form:         the outputs asked for, ``"Y+Indices"``.
    time_limit:   seconds for one call.
    memory_limit: mebibytes, for a backend in a process of its own.
    host:         "process", or "in-process": where the shard itself runs, faster, and ended by a call that crashes.
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

    @property
    def calls(self) -> int:
        """How many."""
        return self.stop - self.start


def shards(whole: Job, size: int = SHARD) -> Iterator[Job]:
    """The shards of a campaign, in order. They are cut at multiples of `size`, wherever the campaign begins."""
    start = whole.start
    while start < whole.stop:
        stop = min((start // size + 1) * size, whole.stop)
        yield replace(whole, start=start, stop=stop)
        start = stop


def run_shard(job: Job) -> Tally:
    """What the calls of a shard come to. Raises BackendError, KnownError or SpecError when they cannot be put."""
    spec, tally, line = load_spec(job.spec), Tally(), _Line()
    with attending(job.backend, job.python, job.memory_limit, job.host) as attended:
        for start in range(job.start, job.stop, BLOCK):
            numbers = range(start, min(start + BLOCK, job.stop))
            puts = [(generated_case(job.spec, seed=job.seed, number=number), job.form) for number in numbers]
            session = Session(attended.host, attended.known(), line, job.time_limit)
            session.plan(puts)
            for number, put in zip(numbers, puts, strict=True):
                session.put(*put)
                tally.add(number, line.last, spec.outputs)
        tally.note(attended.host.notes)
        tally.answered_by[attended.described(spec)] += job.calls
    return tally


class _Line:
    """Stands where a record would be written, and holds what was written last."""

    last: dict[str, Any]

    def case(self, line: dict[str, Any]) -> None:
        """One result."""
        self.last = line
