"""Work that copies of this process share, where the system makes copies that work."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from plumbline.oracle.signals import end_with, without_interrupts

Part = TypeVar("Part")
Done = TypeVar("Done")

WORTHWHILE = 8
"""Parts that are worth copies of this process."""

CAN_COPY = sys.platform == "linux"
"""Whether the system makes copies that work."""

_work: tuple[Callable[[Any], Any], Sequence[Any]]
"""In a copy, what is done, and to what."""


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(work: Callable[[Part], Done], parts: Sequence[Part], processes: int) -> list[Done]:
    """What `work` makes of each part, in `processes` copies of this process, if there is much to do. What it makes must
    be such as can be pickled; the parts need not. The copies end with this call, or with this process."""
    if processes == 1 or len(parts) < WORTHWHILE or not CAN_COPY:
        return [work(part) for part in parts]
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork"), _begin,
                             (os.getpid(), work, parts)) as copies:
        try:
            with without_interrupts():
                results = copies.map(_done, range(len(parts)))
            return list(results)
        except BrokenProcessPool:  # a copy was ended, for its memory for instance: less at once may do
            pass
        except BaseException:
            for copy in set(multiprocessing.active_children()) - others:
                copy.kill()
            raise
    return [work(part) for part in parts]


def _begin(parent: int, *given: Any) -> None:
    global _work
    end_with(parent)
    gc.disable()  # a copy ends soon
    _work = given  # type: ignore[assignment]


def _done(number: int) -> Any:
    work, parts = _work
    return work(parts[number])
