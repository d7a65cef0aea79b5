"""A process that cleans up after a run that ended.

However the run ends (by itself, by a signal, by kill -9), the pipe that it shares with this process is closed. Then
every process group that the run named is killed, on Linux also every process whose environment carries the run's mark,
and the run's temporary folders are removed. Only the standard library is needed. Without /proc, a process that left its
group survives; on Linux one that also cleared its environment does.

Usage: python supervisor.py MARK FOLDER, with lines +PID and -PID on stdin.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

VARIABLE = "PLUMBLINE_RUN"
"""The environment variable with the mark: that of the run, a dot, a number for each process started."""

ROUNDS = 20
"""How often processes are listed: one that forks may be a generation ahead."""


def end_marked(mark: str) -> None:
    """Kill every process whose mark starts with this one."""
    prefix = (VARIABLE + "=" + mark).encode()
    for _ in range(ROUNDS):
        marked = [pid for pid in processes() if any(entry.startswith(prefix) for entry in environment(pid))]
        if not marked:
            return
        for pid in marked:
            end(pid)
        time.sleep(0.005)


def processes() -> list[int]:
    """Return the ids of all visible processes but this one."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        return []


def environment(pid: int) -> list[bytes]:
    """Return the environment that a process was started with.

    It is empty for one that ended or belongs to another user."""
    try:
        with open("/proc/" + str(pid) + "/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def end(pid: int) -> None:
    """Kill a process, and the group that it leads."""
    for kill in (getattr(os, "killpg", os.kill), os.kill):
        try:
            kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        except OSError:  # it ended, or leads no group
            pass


def main() -> None:
    """Wait for the end of the run (of stdin), then clean up."""
    mark, folder = sys.argv[1:]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups = set[int]()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for pid in groups:
        end(pid)
    end_marked(mark)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
