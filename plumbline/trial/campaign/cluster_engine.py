"""The workers of a Dask cluster, on any number of machines. A worker that is lost costs the rerun of its shards.

Each machine has a clone of the suite, and the backend in its environment. Without a scheduler a cluster of processes on
this machine is started.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Iterable, Iterator
from typing import Any

from plumbline.oracle.signals import without_interrupts
from plumbline.trial.campaign.engine import DEATHS, EngineError, isolated
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally

AHEAD = 2
"""Shards that the cluster is given at once for each of its threads: the next is there when one is done."""

PATIENCE = 60.0
"""Seconds until the scheduler answers and its first worker is there."""


class Cluster:
    """A cluster by the address of its scheduler, or a new one of `workers` processes. Raises EngineError where the
    package is missing."""

    def __init__(self, scheduler: str | None, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise EngineError("--engine dask needs a package that is not installed: "
                              ".venv/bin/python -m uv pip install -r pyproject.toml --extra dask") from None
        self._dask: Any = distributed
        self._scheduler, self._workers = scheduler, workers

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Tally]]:
        """Each shard with what it comes to, as they get ready. Raises EngineError, and what `run_shard` raises."""
        fresh = iter(jobs)
        with self._client() as client:
            given: dict[str, tuple[Job, Job]] = {}

            def give(job: Job, submission: Job) -> Any:
                future = client.submit(run_shard, submission, pure=False)
                given[future.key] = job, submission
                return future

            ahead = AHEAD * sum(client.nthreads().values())
            done = self._dask.as_completed([give(job, job) for job in itertools.islice(fresh, ahead)])
            for future in done:
                job, submission = given.pop(future.key)
                try:
                    tally = future.result()
                except self._dask.KilledWorker:
                    done.add(give(job, isolated(submission)))
                    continue
                except (ImportError, RuntimeError) as error:
                    if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
                        raise EngineError(f"the cluster does not find what it needs ({error.__cause__ or error}): "
                                          "start scheduler and workers at the root of a clone, with PYTHONPATH=."
                                          ) from None
                    raise
                yield job, tally
                done.update([give(job, job) for job in itertools.islice(fresh, 1)])

    @contextlib.contextmanager
    def _client(self) -> Iterator[Any]:
        """A client of the cluster, which has a worker."""
        import dask

        with contextlib.ExitStack() as stack:
            where: Any = self._scheduler
            if where is None:
                stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": DEATHS - 1}))
                with without_interrupts():
                    where = stack.enter_context(self._dask.LocalCluster(
                        n_workers=self._workers, threads_per_worker=1, processes=True, dashboard_address=":0",
                        silence_logs=logging.CRITICAL))
            try:
                client = stack.enter_context(self._dask.Client(where, timeout=PATIENCE))
                client.wait_for_workers(1, timeout=PATIENCE)
            except (OSError, TimeoutError, ValueError) as error:
                raise EngineError(f"--scheduler {where}: {' '.join(str(error).split())}") from None
            yield client
