"""Keep a backend running between the shards of one process.

A backend in this process can end it, by a crash or, when a call takes too long, through `Watched`: the engine then
gives the shard to another process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plumbline.backends import Host, InProcess, Outcome, Request, find_backend
from plumbline.backends.identity import Identity
from plumbline.backends.process import BATCH_LIMIT
from plumbline.data import suite_version
from plumbline.oracle import Spec
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.run.watchdog import Deadline

Key = tuple[str, str | None, int, str]


@dataclass(eq=False)
class CachedHost:
    """A host that is ready, and the known divergences of its backend."""

    host: Host
    entries: KnownDivergences

    def known(self) -> KnownDivergences:
        """Return the known divergences, without their use so far."""
        return KnownDivergences(self.entries.entries, self.entries.tried)


def described(identity: Identity, spec: Spec) -> str:
    """Return who answers and who judges, in one line."""
    return (f"{identity}, judged by plumbline {suite_version()} "
            f"with {spec.name} {spec.digest[:16]}")


class Watched:
    """A host in this process, which a watchdog process kills if a call hangs."""

    def __init__(self, host: InProcess) -> None:
        self._host, self._deadline = host, Deadline()
        self.identity, self.notes = host.identity, host.notes

    def run(self, request: Request) -> Outcome:
        """Return the outcome of a request."""
        with self._ending_after(request.time_limit):
            return self._host.run(request)

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Return the outcomes of a batch."""
        with self._ending_after(sum(request.time_limit for request in requests)):
            return self._host.run_many(requests)

    def run_inputs(self, request: Request, inputs: Sequence[Mapping[str, np.ndarray]]) -> list[Outcome]:
        """Return the outcomes of one request with each of several inputs."""
        with self._ending_after(request.time_limit * min(len(inputs), BATCH_LIMIT)):
            return self._host.run_inputs(request, inputs)

    def fresh(self) -> Host | None:
        """Start the backend in a process of its own."""
        return self._host.fresh()

    @property
    def witness(self) -> Host | None:
        """The backend in a process of its own, for repeated calls."""
        return self._host.witness

    @property
    def before_end(self) -> Sequence[Request]:
        """The requests before the end of the process, if it ended."""
        return self._host.before_end

    def close(self) -> None:
        """End the host."""
        self._host.close()
        self._deadline.close()

    @contextlib.contextmanager
    def _ending_after(self, seconds: float) -> Iterator[None]:
        if self._host.is_outside:  # where it has a limit of its own
            yield
            return
        self._deadline.set(seconds)
        try:
            yield
        finally:
            self._deadline.set(None)


_lock = threading.Lock()
_ready: dict[Key, CachedHost] = {}


@contextlib.contextmanager
def cached_host(backend: str, python: str | None, memory_limit: int, host: str) -> Iterator[CachedHost]:
    """Yield a running backend, for one shard at a time.

    backend:      its name on the command line.
    python:       path of its interpreter, None for the default.
    memory_limit: mebibytes, for a backend in its own process.
    host:         "in-process" or "process": where it runs.

    A backend with notes of something besides its calls is ended afterwards. Raises BackendError, KnownError."""
    key = (backend, python, memory_limit, host)
    with _lock:
        if key not in _ready:
            close_cached()
            _ready[key] = _start(*key)
        noted = len(_ready[key].host.notes)  # what is noted at the start is no reason to start again
        try:
            yield _ready[key]
        except BaseException:
            close_cached()
            raise
        if len(_ready[key].host.notes) > noted:
            close_cached()


def _start(named: str, python: str | None, memory_limit: int, where: str) -> CachedHost:
    backend = find_backend(named, Path(python) if python else None)
    host = Watched(backend.load()) if where == "in-process" else backend.start(memory_limit)
    return CachedHost(host, KnownDivergences.load(backend.adapter, host.identity.version))


def close_cached() -> None:
    """End the backend that is ready, if there is one."""
    while _ready:
        _ready.popitem()[1].host.close()
