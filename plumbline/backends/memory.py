"""Limit the resident memory and the addresses of processes.

The limit is on resident memory, since WebAssembly, browsers, GPU drivers and the JVM reserve far more addresses than
they use. Both limits need Linux; elsewhere nothing is limited.
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

INTERVAL = 0.1
"""Least seconds between two measurements of the processes that are known."""

SHARE = 50
"""Looking for others takes at most one part in so many of the time, however many processes the machine has."""

PROC = Path("/proc")


class MemoryLimitError(RuntimeError):
    """A process that uses more memory than it may."""


class MemoryWatch:
    """Limits the resident memory of a process and all that it started.

    Memory that processes share is counted once. A process that left both session and tree is not counted."""

    def __init__(self, root: int, mebibytes: int) -> None:
        self.root, self._mebibytes = root, mebibytes
        self._base = 0
        self._next = self._next_search = 0.0
        self._known: set[int] = {root}

    def start_from_here(self) -> None:
        """Limit the memory beyond the present use."""
        self._base = resident(self.root, processes=self._known)

    def check(self) -> None:
        """Measure, unless that was done a moment ago. Raises MemoryLimitError."""
        began = time.monotonic()
        if began < self._next:
            return
        self._next, enough = began + INTERVAL, self._base + (self._mebibytes << 20)
        if began < self._next_search and sum(map(_resident, self._known)) <= enough:
            return
        used = resident(self.root, enough, self._known) - self._base
        self._next_search = began + SHARE * (time.monotonic() - began)
        if used > self._mebibytes << 20:
            raise MemoryLimitError(f"it used {used >> 20:,} MiB, and --memory-limit allows {self._mebibytes:,}")


def resident(root: int, enough: int = 0, processes: set[int] | None = None) -> int:
    """Return the resident bytes of a process, its session and descendants.

    root:      its number (PID).
    enough:    bytes; if there are more, memory that several processes share is counted once.
    processes: if given, its content is replaced by the numbers of the processes."""
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
    if processes is not None:
        processes.clear()
        processes |= members
    pages = sum(sizes.get(pid, 0) for pid in members) * os.sysconf("SC_PAGE_SIZE") if sizes else 0
    return pages if pages <= enough or len(members) == 1 else sum(map(_proportional, members & sizes.keys()))


def _resident(pid: int) -> int:
    """Return resident bytes; 0 after the end."""
    try:
        return int((PROC / str(pid) / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Return resident bytes, shared ones in proportion; 0 after the end."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def limit_addresses(pid: int, mebibytes: int) -> None:
    """Limit the addresses that a process maps beyond its present ones. A request beyond the limit fails at once."""
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):  # it ended
            used = int((PROC / str(pid) / "statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
            limit = used + (mebibytes << 20)
            resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))
