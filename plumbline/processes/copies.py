"""Distribute work over forked copies of this process."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from plumbline.processes.workers import Begin, Workers

Part = TypeVar("Part")
Done = TypeVar("Done")

WORTHWHILE = 8
"""Parts below which forking does not pay."""

CAN_COPY = sys.platform == "linux"
"""Whether forked copies work on this system."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(work: Callable[[Part], Done], parts: Sequence[Part], processes: int, guarded: Begin) -> list[Done]:
    """Return `work(part)` for each part, computed in copies of this process.

    processes: number of copies; none are made for few parts.
    guarded:   a context manager, entered in each copy with another one and its arguments, that gives the function which
               works there: it can limit the time of others' code.

    Results must be picklable; parts need not be. The copies end with this call, or with this process."""
    if processes == 1 or len(parts) < WORTHWHILE or not CAN_COPY:
        return [work(part) for part in parts]
    done: dict[int, Done] = {}
    left = iter(range(len(parts)))
    with Workers(processes, multiprocessing.get_context("fork"), guarded, _in_copy, work, parts) as workers:
        while len(done) < len(parts):
            while workers.free and (number := next(left, None)) is not None:
                workers.give(number)
            for number, answer in workers.ready():
                if isinstance(answer, Exception):
                    raise answer
                # Where a copy was killed, perhaps for its memory, one process may do.
                done[number] = work(parts[number]) if answer is None else answer[0]
    return [done[number] for number in range(len(parts))]


@contextlib.contextmanager
def _in_copy(work: Callable[[Part], Done], parts: Sequence[Part]) -> Iterator[Callable[[int], tuple[Done]]]:
    gc.disable()  # a copy ends soon
    yield lambda number: (work(parts[number]),)
