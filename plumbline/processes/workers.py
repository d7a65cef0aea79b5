"""Run work in worker processes, each on one task at a time.

If a process ends, only the task that it had is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

from plumbline.processes.signals import ignore_requests, without_interrupts
from plumbline.processes.supervision import marked

GOODBYE = 5.0
"""Seconds in which a process that has nothing to do may end by itself."""


Begin = Callable[..., contextlib.AbstractContextManager[Callable[[Any], Any]]]


class Workers:
    """At most `count` processes, started when needed; they end with the context.

    `begin`, called with `args` in each process, is a context manager that gives the function which does a task."""

    def __init__(self, count: int, context: BaseContext, begin: Begin, *args: Any) -> None:
        self.free: list[tuple[BaseProcess, Connection] | None] = [None] * count
        self.busy: dict[Connection, tuple[BaseProcess, Any]] = {}
        self._context, self._begin, self._args = context, begin, args

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        for _, connection in filter(None, self.free):
            with contextlib.suppress(BrokenPipeError, ConnectionError):
                connection.send(None)
        for process, _ in self.busy.values():
            process.kill()
        for process in [*(worker[0] for worker in self.free if worker), *(worker[0] for worker in self.busy.values())]:
            process.join(GOODBYE)
            process.kill()
            process.join()

    def give(self, given: Any) -> None:
        """Give a task to a free process."""
        process, connection = self.free.pop() or self._hire()
        with contextlib.suppress(BrokenPipeError, ConnectionError):  # one that ended meanwhile is found out by `ready`
            connection.send(given)
        self.busy[connection] = process, given

    def ready(self, timeout: float | None = None) -> Iterator[tuple[Any, Any]]:
        """Yield finished tasks, each with its answer.

        The answer is None if the process ended, and an exception if the task raised one. Waits for the first task that
        is finished, at most `timeout` seconds."""
        done = wait(list(self.busy), timeout)
        for connection in [connection for connection in self.busy if connection in done]:
            process, given = self.busy.pop(connection)
            try:
                answer = connection.recv()
            except (EOFError, OSError):
                process.kill()
                process.join()
                self.free.append(None)
                yield given, None
            else:
                self.free.append((process, connection))
                yield given, answer

    def _hire(self) -> tuple[BaseProcess, Connection]:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(there, self._begin, *self._args),  # type: ignore[attr-defined]
                                        daemon=True)
        with without_interrupts(), marked() as begun:
            process.start()
            begun(process.pid)
        there.close()  # so that the end of the process is the end of the connection
        return process, here


def _serve(connection: Connection, begin: Begin, *args: Any) -> None:
    """Do tasks in a worker process, until the pipe is closed or says to stop."""
    ignore_requests()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionError), begin(*args) as work:
        while (given := connection.recv()) is not None:
            try:
                answer = work(given)
            except Exception as error:  # to be raised where the work comes from
                answer = error
            connection.send(answer)
