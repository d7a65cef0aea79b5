"""Processes of this machine. Each works on one shard at a time; one that ends costs the rerun of that shard alone."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait

from plumbline.backends.supervision import marked
from plumbline.trial.engines import DEATHS, deaf_to_interrupts, isolated
from plumbline.trial.shards import Job, run_shard
from plumbline.trial.tally import Tally

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
        with _Desks(self._workers) as desks:
            while True:
                while desks.free:
                    given = again.popleft() if again else next(((job, job) for job in fresh), None)
                    if given is None:
                        break
                    desks.give(*given)
                if not desks.busy:
                    return
                for job, put, answer in desks.ready():
                    if isinstance(answer, Exception):
                        raise answer
                    if answer is not None:
                        yield job, answer
                        continue
                    deaths[put] += 1
                    again.append((job, put if deaths[put] < DEATHS else isolated(put)))


class _Desks:
    """Processes, each with the connection over which it is given shards; all of them end with the context."""

    def __init__(self, count: int) -> None:
        self.free: list[tuple[multiprocessing.Process, Connection] | None] = [None] * count
        self.busy: dict[Connection, tuple[multiprocessing.Process, Job, Job]] = {}

    def __enter__(self) -> _Desks:
        return self

    def __exit__(self, *error: object) -> None:
        for process in [*(desk[0] for desk in self.free if desk), *(desk[0] for desk in self.busy.values())]:
            process.kill()
            process.join()

    def give(self, job: Job, put: Job) -> None:
        """A shard, in the way in which it is to be put, to one who is free."""
        process, connection = self.free.pop() or _hire()
        with contextlib.suppress(BrokenPipeError, ConnectionError):  # one that ended meanwhile is found out by `ready`
            connection.send(put)
        self.busy[connection] = process, job, put

    def ready(self) -> Iterator[tuple[Job, Job, Tally | Exception | None]]:
        """Shards that somebody is done with, and the answer: None where the process ended over it."""
        for connection in wait(list(self.busy)):
            process, job, put = self.busy.pop(connection)
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                process.kill()
                process.join()
                self.free.append(None)
                yield job, put, None
            else:
                self.free.append((process, connection))
                yield job, put, answer


def _hire() -> tuple[multiprocessing.Process, Connection]:
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_work, args=(there,), daemon=True)
    with deaf_to_interrupts(), marked() as begun:
        process.start()
        begun(process.pid)
    there.close()  # so that the end of the process is the end of the connection
    return process, here


def _work(connection: Connection) -> None:
    """What a process does: shard after shard, until nobody is at the other end."""
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionError):
        while True:
            job = connection.recv()
            try:
                answer: Tally | Exception = run_shard(job)
            except Exception as error:  # to be raised where the shards come from
                answer = error
            connection.send(answer)
