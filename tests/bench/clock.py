"""Measuring several things side by side: in turns, so that what disturbs the machine disturbs all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

ROUNDS = 5


def per_second(works: Mapping[str, Callable[[], int]], rounds: int = ROUNDS) -> dict[str, float]:
    """For each work, which does something and says how often, how often it is done in a second: the median of some
    rounds, each of which does every work once."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            began = time.perf_counter()
            count = work()
            found[name].append(count / (time.perf_counter() - began))
    return {name: statistics.median(rates) for name, rates in found.items()}


def repeated(work: Callable[[], object], times: int) -> Callable[[], int]:
    """A work that does another one so many times."""
    def several() -> int:
        for _ in range(times):
            work()
        return times
    return several
