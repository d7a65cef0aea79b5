"""The memory of processes: how much of it is resident, watched from outside, and a limit of addresses for who asks.

What is resident is what a limit is about: WebAssembly, browsers, GPU drivers and the JVM reserve far more addresses
than they use. Both need Linux; elsewhere nothing is limited.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

GLANCE = 0.1
"""Seconds between two looks, at least."""

SHARE = 20
"""A look takes at most one part in so many of the time, however many processes the machine has."""

PROC = Path("/proc")


class MemoryLimitError(RuntimeError):
    """A process that holds more memory than it may; the text says how much."""


class MemoryWatch:
    """The resident memory of a process and all that it started, of which there may be so many mebibytes.

    What processes share is counted once; what left both the session and the tree of the process is not counted."""

    def __init__(self, root: int, mebibytes: int) -> None:
        self.root, self._mebibytes = root, mebibytes
        self._base = 0
        self._next = 0.0

    def start_from_here(self) -> None:
        """Limit what is used beyond what there is now."""
        self._base = resident(self.root)

    def check(self) -> None:
        """Look, unless that was done a moment ago. Raises MemoryLimitError."""
        began = time.monotonic()
        if began < self._next:
            return
        used = resident(self.root, self._base + (self._mebibytes << 20)) - self._base
        self._next = time.monotonic() + max(GLANCE, SHARE * (time.monotonic() - began))
        if used > self._mebibytes << 20:
            raise MemoryLimitError(f"it used {used >> 20:,} MiB, and --memory-limit allows {self._mebibytes:,}")


def resident(root: int, enough: int = 0) -> int:
    """Bytes of memory that a process, its session and its descendants have resident. Where that is more than `enough`,
    what several share is counted once."""
    parents, sizes = dict[int, int](), dict[int, int]()
    members = {root}
    for name in os.listdir(PROC) if PROC.is_dir() else ():
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):  # it ended
                fields = (PROC / name / "stat").read_bytes().rpartition(b")")[2].split()
                parents[int(name)], sizes[int(name)] = int(fields[1]), int(fields[21])
                if int(fields[3]) == root:
                    members.add(int(name))
    grown = 0
    while grown != len(members):
        grown = len(members)
        members |= {pid for pid, parent in parents.items() if parent in members}
    pages = sum(sizes.get(pid, 0) for pid in members) * os.sysconf("SC_PAGE_SIZE") if sizes else 0
    return pages if pages <= enough or len(members) == 1 else sum(map(_proportional, members & sizes.keys()))


def _proportional(pid: int) -> int:
    """Bytes that a process has resident; of what it shares its part. 0 for one that ended."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def limit_addresses(pid: int, mebibytes: int) -> None:
    """Let a process map no more than so much beyond what it has, for good: what exceeds it is refused at once."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):  # it ended
            used = int((PROC / str(pid) / "statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
            limit = used + (mebibytes << 20)
            resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))
