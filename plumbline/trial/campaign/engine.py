"""Engines run the shards of a campaign.

An engine runs a shard again if its process ends. If that happens again, the shard runs with its backend in a process of
its own, which identifies the call to blame.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Protocol

from plumbline.trial.campaign.shards import Job
from plumbline.trial.campaign.tally import Tally

DEATHS = 2
"""Processes that a shard may end before it is isolated."""


class EngineError(RuntimeError):
    """Work that cannot be done; the text is one line."""


class Engine(Protocol):
    """Runs shards."""

    def run(self, jobs: Iterable[Job]) -> Generator[tuple[Job, Tally]]:
        """Yield each shard with its tally, in any order. Raises EngineError, and what `run_shard` raises."""


def isolated(job: Job) -> Job:
    """Return a shard with its backend in a process of its own. Raises EngineError if it has one already."""
    if job.host == "process":
        raise EngineError(f"calls {job.start} to {job.stop - 1} ended the worker each time, not the backend: "
                          "memory may be short; try fewer --workers")
    return replace(job, host="process")
