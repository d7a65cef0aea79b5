"""Handle signals that ask this process to end, and end its copies with it."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""Signals that ask a process to end."""

REPEATED = 1.0
"""Seconds in which a second request is the same one: of a closed terminal the shell sends another SIGHUP."""

LOST = 0.1
"""Seconds after which a request is made again that came while a destructor or callback ran, where nothing can be
raised."""

PR_SET_PDEATHSIG = 1

_last = -math.inf
_number = 0
_hooks: list[Callable[[sys.UnraisableHookArgs], object]] = []


def interrupt_on_signals() -> None:
    """Raise KeyboardInterrupt for each request to end, where it is not ignored (as by nohup)."""
    if threading.current_thread() is threading.main_thread():  # no other thread may say so
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _interrupt)
        if sys.unraisablehook is not _unraisable:
            _hooks.append(sys.unraisablehook)
            sys.unraisablehook = _unraisable


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _last, _number
    before, _last, _number = _last, time.monotonic(), number
    if _last - before > REPEATED:
        raise KeyboardInterrupt


def _unraisable(ignored: sys.UnraisableHookArgs) -> None:
    """Make a request again that Python ignores; leave other exceptions to whom they were left before."""
    global _last
    if ignored.exc_type is KeyboardInterrupt and _number:
        _last = -math.inf
        threading.Timer(LOST, os.kill, (os.getpid(), _number)).start()
    else:
        _hooks[-1](ignored)


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Block signals that ask to end, so that processes started here ignore them.

    A signal that comes meanwhile is handled afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: Ctrl-C ends them, and their work is lost
        yield
        return
    resource_tracker.ensure_running()  # when it is started, it undoes what follows
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_requests() -> None:
    """Ignore interrupts in a process started `without_interrupts`; programs that it starts do not."""
    if hasattr(signal, "pthread_sigmask"):
        for number in ENDING:
            signal.signal(number, lambda number, frame: None)  # a program begins with the default again
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def end_with(parent: int) -> None:
    """End this copy of a process when that process ends, even by SIGKILL. Linux alone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os._exit(1)
