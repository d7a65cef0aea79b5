"""Run work in a copy of this process, and notice if it ends too early.

Code of others runs in it: a specification or a native library that calls `_exit(0)` ends the process with the status of
success, which nothing within that process can prevent.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable

from plumbline.processes.signals import ENDING, end_with, interrupt_on_signals

LOST = 2
"""The status of work that did not come to its end."""

_in_copy = False


def watched(work: Callable[[], int]) -> int:
    """Return the exit status that `work` returns in a copy of this process.

    If the copy ends before, print a line to stderr and return 2. Signals that ask to end are passed on. Where copies do
    not work, or this process is one, `work` runs here."""
    if _in_copy or sys.platform != "linux":
        return work()
    parent = os.getpid()
    reading, writing = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    waited_for = {*ENDING, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    kept = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # an ignored one would take the status with it
    copy = os.fork()
    if copy == 0:
        os.close(reading)
        end_with(parent)
        interrupt_on_signals()
        _work(work, writing, before)
    os.close(writing)
    try:
        how = _wait(copy, waited_for)
        given = os.read(reading, 1)
    finally:
        os.close(reading)
        signal.signal(signal.SIGCHLD, kept)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if how >= 0 and given == bytes([how]):
        return how
    ended = f"exit status {how}" if how >= 0 else signal.Signals(-how).name
    print(f"ended before the work was done ({ended}): by code that was asked, such as that of a specification, or from "
          "outside", file=sys.stderr)
    return LOST


def _work(work: Callable[[], int], writing: int, mask: set[int]) -> None:
    """Do the work, write its status to the pipe, and end this process."""
    global _in_copy
    _in_copy, status = True, LOST
    try:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            status = work() & 0xff
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.write(writing, bytes([status]))
    except BaseException:  # nothing may return to where the process was copied
        with contextlib.suppress(Exception):
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(status)


def _wait(copy: int, waited_for: set[signal.Signals]) -> int:
    """Wait for the end of the copy, and pass requests on; its exit status, or the negative number of a signal."""
    while True:
        info = signal.sigwaitinfo(waited_for)
        if info.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(copy, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        elif info.si_code <= 0:  # sent by a process; what the terminal sends, it sends to the copy too
            os.kill(copy, info.si_signo)
