"""Engine of local processes.

Each process runs one shard at a time. If it ends, that shard is rerun.
"""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import Counter, deque
from collections.abc import Generator, Iterable

from plumbline.oracle.foreign_code import guarded
from plumbline.processes.workers import Workers
from plumbline.trial.campaign.engine import DEATHS, isolated
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally

SPAWN = multiprocessing.get_context("spawn")
"""Fresh processes: a fork would inherit the threads of a runtime."""


class Local:
    """Runs shards in `workers` processes."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(self, jobs: Iterable[Job]) -> Generator[tuple[Job, Tally]]:
        """Yield each shard with its tally, in the order of completion.

        Raises EngineError, and what `run_shard` raises."""
        fresh = iter(jobs)
        again: deque[tuple[Job, Job]] = deque()
        deaths: Counter[Job] = Counter()
        with Workers(self._workers, SPAWN, guarded, contextlib.nullcontext, _run) as workers:
            while True:
                while workers.free:
                    pair = again.popleft() if again else next(((job, job) for job in fresh), None)
                    if pair is None:
                        break
                    workers.give(pair)
                if not workers.busy:
                    return
                for (job, variant), answer in workers.ready():
                    if isinstance(answer, Exception):
                        raise answer
                    if answer is not None:
                        yield job, answer
                        continue
                    deaths[variant] += 1
                    again.append((job, variant if deaths[variant] < DEATHS else isolated(variant)))


def _run(pair: tuple[Job, Job]) -> Tally:
    """Run a shard in its current variant."""
    return run_shard(pair[1])
