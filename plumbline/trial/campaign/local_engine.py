"""Processes of this machine. Each works on one shard at a time; one that ends costs the rerun of that shard alone."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import Counter, deque
from collections.abc import Iterable, Iterator

from plumbline.trial.campaign.engine import DEATHS, isolated
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally
from plumbline.trial.run.workers import Workers

SPAWN = multiprocessing.get_context("spawn")
"""Processes that begin anew: what this one holds, threads of a runtime above all, does not come along."""


class Local:
    """So many processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Tally]]:
        """Each shard with what it comes to, as they get ready. Raises EngineError, and what `run_shard` raises."""
        fresh = iter(jobs)
        again: deque[tuple[Job, Job]] = deque()
        deaths: Counter[Job] = Counter()
        with Workers(self._workers, SPAWN, contextlib.nullcontext, _put) as workers:
            while True:
                while workers.free:
                    given = again.popleft() if again else next(((job, job) for job in fresh), None)
                    if given is None:
                        break
                    workers.give(given)
                if not workers.busy:
                    return
                for (job, submission), answer in workers.ready():
                    if isinstance(answer, Exception):
                        raise answer
                    if answer is not None:
                        yield job, answer
                        continue
                    deaths[submission] += 1
                    again.append((job, submission if deaths[submission] < DEATHS else isolated(submission)))


def _put(given: tuple[Job, Job]) -> Tally:
    """What a shard comes to in the way in which it is to be put."""
    return run_shard(given[1])
