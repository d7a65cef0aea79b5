"""Who works on the shards of a campaign: processes of this machine, or the workers of a Dask cluster.

An engine gives every shard to somebody, and once more when that ends with its process. A shard that ends its process
again is given away with its backend in a process of its own, where the call that does it is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from plumbline.trial.campaign.shards import Job
from plumbline.trial.campaign.tally import Tally

DEATHS = 2
"""Processes that a shard may end before something else is tried."""

class EngineError(RuntimeError):
    """Work that cannot be done; the text is one line."""


class Engine(Protocol):
    """Works on shards."""

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Tally]]:
        """Each shard with what it comes to, in any order. Raises EngineError, and what `run_shard` raises."""


def isolated(job: Job) -> Job:
    """A shard that ended its process too often, with its backend in a process of its own. Raises EngineError where it
    had one already."""
    if job.host == "process":
        raise EngineError(f"calls {job.start} to {job.stop - 1} ended the process that worked on them each time, and "
                          "not that of the backend: is there memory enough for so many workers?")
    return replace(job, host="process")
