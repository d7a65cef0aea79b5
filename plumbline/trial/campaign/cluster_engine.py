"""Engine on a Dask cluster of any number of machines.

If a worker is lost, its shards are rerun. Each machine has a clone of the suite, with the backend in its environment.
Without a scheduler, a cluster of local processes is started.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from plumbline.processes.signals import without_interrupts
from plumbline.trial.campaign.engine import DEATHS, EngineError, isolated
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally

SHARDS_PER_THREAD = 2
"""Shards submitted for each thread: the next is ready when one is done."""

PATIENCE = 60.0
"""Seconds for the scheduler to answer and for its first worker."""


class Cluster:
    """A cluster: the one of `scheduler`, or a new one of `workers` processes.

    Raises EngineError if the package is missing."""

    def __init__(self, scheduler: str | None, workers: int) -> None:
        try:
            import distributed
        except ImportError:
            raise EngineError("--engine dask needs a package that is not installed: "
                              ".venv/bin/python -m uv pip install -r pyproject.toml --extra dask") from None
        self._dask: Any = distributed
        self._scheduler, self._workers = scheduler, workers

    def run(self, jobs: Iterable[Job]) -> Generator[tuple[Job, Tally]]:
        """Yield each shard with its tally, in the order of completion.

        Raises EngineError, and what `run_shard` raises."""
        fresh = iter(jobs)
        with self._client() as client:
            running: dict[str, tuple[Job, Job]] = {}

            def submit(job: Job, variant: Job) -> Any:
                future = client.submit(run_shard, variant, pure=False)
                running[future.key] = job, variant
                return future

            count = SHARDS_PER_THREAD * sum(client.nthreads().values())
            done = self._dask.as_completed([submit(job, job) for job in itertools.islice(fresh, count)])
            for future in done:
                job, variant = running.pop(future.key)
                try:
                    tally = future.result()
                except self._dask.KilledWorker:
                    done.add(submit(job, isolated(variant)))
                    continue
                except (ImportError, RuntimeError) as error:
                    if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
                        raise EngineError(f"the cluster does not find what it needs ({error.__cause__ or error}): "
                                          "start scheduler and workers at the root of a clone, with PYTHONPATH=."
                                          ) from None
                    raise
                yield job, tally
                done.update([submit(job, job) for job in itertools.islice(fresh, 1)])

    @contextlib.contextmanager
    def _client(self) -> Iterator[Any]:
        """Connect to the cluster, and wait for a worker."""
        import dask

        with contextlib.ExitStack() as stack:
            address: Any = self._scheduler
            if address is None:
                stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": DEATHS - 1}))
                with without_interrupts():
                    address = stack.enter_context(self._dask.LocalCluster(
                        n_workers=self._workers, threads_per_worker=1, processes=True, dashboard_address=":0",
                        silence_logs=logging.CRITICAL))
            try:
                client = stack.enter_context(self._dask.Client(address, timeout=PATIENCE))
                client.wait_for_workers(1, timeout=PATIENCE)
            except (OSError, TimeoutError, ValueError) as error:
                raise EngineError(f"--scheduler {address}: {' '.join(str(error).split())}") from None
            yield client
