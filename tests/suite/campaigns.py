"""A small campaign that tests share: who works on it, and how its record is compared."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from plumbline.trial.campaign.campaign import Campaign
from plumbline.trial.campaign.engine import Engine
from plumbline.trial.campaign.shards import Job, run_shard
from plumbline.trial.campaign.tally import Tally
from plumbline.trial.run.host_cache import close_cached

FAKES = "tests.suite.campaign_fakes"
WHOLE = Job("sonnx/maxpool", f"{FAKES}:Faulty", "Y+Indices", 3, 5, 155, host="in-process")
"""Of some causes there are more calls than lines are kept."""

TIMES = re.compile(rb'"(started|seconds)": ?("[^"]*"|[0-9.e-]+)')


class Here:
    """Works on shards in this process, the last one first."""

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Tally]]:
        """Each shard with what it comes to."""
        for job in reversed(list(jobs)):
            yield job, run_shard(job)
        close_cached()


def record_of(path: Path, engine: Engine, size: int, whole: Job = WHOLE) -> bytes:
    """The record that a campaign writes, without times."""
    Campaign(whole, path).run(engine, size=size)
    return timeless(path)


def timeless(path: Path) -> bytes:
    """A record without times, and with one name for the fakes that answer alike."""
    return re.sub(rb"campaign_fakes:\w+", b"campaign_fakes:Faulty", TIMES.sub(b"", path.read_bytes()))


def killing(folder: Path) -> threading.Thread:
    """A thread that kills the first process of `HeldUp` that leaves word, and then lets the others go on."""
    def kill() -> None:
        held = first_held(folder)
        os.kill(held, signal.SIGKILL)
        (folder / "killed").write_text(str(held), encoding="utf-8")
        (folder / "go").touch()

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def first_held(folder: Path) -> int:
    """The number of a process that is held up, as soon as there is one."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for path in folder.glob("*.held"):
            return int(path.stem)
        time.sleep(0.02)
    raise TimeoutError("nobody was held up")
