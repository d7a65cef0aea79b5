"""Distribute work over forked copies of this process."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from plumbline.oracle.foreign_code import limit_code, portable
from plumbline.oracle.signals import end_with, without_interrupts

Part = TypeVar("Part")
Done = TypeVar("Done")

WORTHWHILE = 8
"""Parts below which forking does not pay."""

CAN_COPY = sys.platform == "linux"
"""Whether forked copies work on this system."""

_work: tuple[Callable[[Any], Any], Sequence[Any]]
"""In a copy: the function, and all parts."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(work: Callable[[Part], Done], parts: Sequence[Part], processes: int) -> list[Done]:
    """Return `work(part)` for each part, computed in `processes` copies of this process if there are many.

    Results must be picklable; parts need not be. The copies end with this call, or with this process."""
    if processes == 1 or len(parts) < WORTHWHILE or not CAN_COPY:
        return [work(part) for part in parts]
    unrelated = set(multiprocessing.active_children())
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin,
                             (os.getpid(), work, parts)) as copies:
        try:
            with without_interrupts():
                results = copies.map(_done, range(len(parts)))
            return list(results)
        except BrokenProcessPool:  # a copy was killed, perhaps for its memory: one process may do
            pass
        except BaseException:
            for copy in set(multiprocessing.active_children()) - unrelated:
                copy.kill()
            raise
    return [work(part) for part in parts]


def _begin(parent: int, work: Callable[[Any], Any], parts: Sequence[Any]) -> None:
    global _work
    end_with(parent)
    gc.disable()  # a copy ends soon
    limit_code()
    _work = work, parts


def _done(number: int) -> Any:
    work, parts = _work
    try:
        return work(parts[number])
    except Exception as error:
        raise portable(error) from None
