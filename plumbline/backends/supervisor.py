"""The process that outlives a run by a moment, and ends what the run started and left behind.

However the run ends (by itself, by a signal, by kill -9), the pipe that it holds is closed; then every process group
that it named is killed, on Linux also every process whose environment carries its mark, wherever that process went, and
its temporary folders are removed. It needs the standard library alone. Where there is no /proc, a process that left its
group lives on; on Linux one that cleared its environment as well does.

Usage: python supervisor.py MARK FOLDER, with lines +PID and -PID on stdin.
"""

import os
import shutil
import signal
import sys
import time

VARIABLE = "PLUMBLINE_RUN"
"""The variable of the environment that holds the mark: that of the run, a point, a number for each process started."""

ROUNDS = 20
"""How often processes are looked for: one that forks may be ahead by a generation."""


def end_marked(mark):
    """Kill every process whose mark begins so."""
    wanted = (VARIABLE + "=" + mark).encode()
    for _ in range(ROUNDS):
        found = [pid for pid in processes() if any(entry.startswith(wanted) for entry in environment(pid))]
        if not found:
            return
        for pid in found:
            end(pid)
        time.sleep(0.005)


def processes():
    """The processes that can be seen, but for this one."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        return []


def environment(pid):
    """What a process was started with; nothing for one that ended or belongs to another user."""
    try:
        with open("/proc/" + str(pid) + "/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def end(pid):
    """Kill a process, and its group where it leads one."""
    for kill in (getattr(os, "killpg", os.kill), os.kill):
        try:
            kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        except OSError:  # it ended, or leads no group
            pass


def main():
    """Wait for the end of the run."""
    mark, folder = sys.argv[1:]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for pid in groups:
        end(pid)
    end_marked(mark)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
