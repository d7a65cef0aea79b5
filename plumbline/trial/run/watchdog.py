"""A watchdog process that kills this one at a deadline, even inside C code.

The two share a page of memory that holds the deadline. Systems without such pages use an alarm instead.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import subprocess
import sys
import time

GLANCE = 0.05
"""Seconds between two looks at the deadline."""

_SECONDS = struct.Struct("d")


class Deadline:
    """Ends this process, by SIGKILL, when a time that was set passes."""

    def __init__(self) -> None:
        self._seer: subprocess.Popen[bytes] | None = None
        if not hasattr(os, "memfd_create"):  # macOS: a backend that handles SIGALRM is waited for without end
            return
        shared = os.memfd_create("deadline")
        os.ftruncate(shared, mmap.PAGESIZE)
        self._page = mmap.mmap(shared, mmap.PAGESIZE)
        self._seer = subprocess.Popen([sys.executable, "-I", "-S", __file__, str(os.getpid()), str(shared)],
                                      pass_fds=[shared], stdin=subprocess.DEVNULL, start_new_session=True)
        os.close(shared)

    def set(self, seconds: float | None) -> None:
        """Set the deadline in seconds from now; None removes it."""
        if self._seer is not None:
            _SECONDS.pack_into(self._page, 0, 0.0 if seconds is None else time.monotonic() + seconds)
        elif hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, seconds or 0)

    def close(self) -> None:
        """End the watchdog process."""
        if self._seer is not None:
            self._seer.kill()
            self._seer.wait()


def main() -> None:
    """Watch the deadline of a process, and kill it then."""
    watched, shared = map(int, sys.argv[1:])
    page = mmap.mmap(shared, mmap.PAGESIZE)
    while os.getppid() == watched:
        deadline, = _SECONDS.unpack_from(page)
        if deadline and time.monotonic() > deadline:
            os.kill(watched, signal.SIGKILL)
        time.sleep(GLANCE)


if __name__ == "__main__":
    main()
