"""A copy of this process that answers requests about others' content. Linux alone.

Native code may end its process or never return: the copy is killed where it gives no answer. It ends with the process
that made it, however that ends.
"""

from __future__ import annotations

import faulthandler
import math
import os
import select
import signal
import struct
import threading
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

from plumbline.processes.signals import ENDING, end_with

CHUNK = 1 << 20

_SIZE = struct.Struct("<Q")


class Forked:
    """A copy of this process that gives `answer(request)` for each request, in at most so many seconds."""

    def __init__(self, answer: Callable[[bytes], bytes], seconds: float) -> None:
        self._seconds, self._lock = seconds, threading.Lock()
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else None
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: the child needs none
            self._child = os.fork()
        if not self._child:
            _serve(answer, seconds, parent, requests, answers)
        os.close(requests)
        os.close(answers)
        os.set_blocking(self._requests, False)

    def ask(self, request: bytes) -> bytes:
        """Return the answer. Raises RuntimeError if there is none; the copy is closed then."""
        with self._lock:
            try:
                return self._asked(request, time.monotonic() + self._seconds)
            except TimeoutError:
                self.close()
                raise RuntimeError(f"it takes more than {self._seconds:.0f} seconds") from None
            except (EOFError, BrokenPipeError):
                status = self.close()
                raise RuntimeError("it ended its process" + (f" (signal {-status})" if status < 0 else "")) from None
            except BaseException:  # an interrupt: what comes next would be read as the answer to another request
                self.close()
                raise

    def close(self) -> int:
        """End the copy; its exit status, or the negative number of a signal."""
        self.release()
        os.kill(self._child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])

    def release(self) -> None:
        """Close the pipes, as another copy of this process must."""
        os.close(self._requests)
        os.close(self._answers)

    def _asked(self, request: bytes, deadline: float) -> bytes:
        for part in (_SIZE.pack(len(request)), request):
            rest = memoryview(part)
            while rest:
                _, ready, _ = select.select([], [self._requests], [], max(deadline - time.monotonic(), 0))
                if not ready:
                    raise TimeoutError
                rest = rest[os.write(self._requests, rest[:CHUNK]):]
        size, = _SIZE.unpack(_read(self._answers, _SIZE.size, deadline))
        return _read(self._answers, size, deadline)


def _read(end: int, size: int, deadline: float = math.inf) -> bytes:
    """Read so many bytes. Raises TimeoutError, EOFError."""
    content = bytearray()
    while len(content) < size:
        if deadline < math.inf and not select.select([end], [], [], max(deadline - time.monotonic(), 0))[0]:
            raise TimeoutError
        part = os.read(end, min(size - len(content), CHUNK))
        if not part:
            raise EOFError
        content += part
    return bytes(content)


def _serve(answer: Callable[[bytes], bytes], seconds: float, parent: int | None, requests: int,
           answers: int) -> NoReturn:
    """Answer requests in the copy, until the pipe is closed.

    seconds:  time for an answer; then an alarm ends the copy.
    parent:   id of the process whose end ends the copy; None if a thread made the copy, whose end must not end it.
    requests: the pipe that is read; `answers` is the one that is written. Both are file descriptors."""
    try:
        import fcntl
        requests, answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 3) for end in (requests, answers))  # streams may be closed
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        low, high = sorted((requests, answers))
        os.closerange(3, low)  # pipes of other processes, which would wait for their end
        os.closerange(low + 1, high)
        os.closerange(high + 1, os.sysconf("SC_OPEN_MAX"))
        faulthandler.disable()
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)  # the process that made this one says when it ends
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if parent is not None:
            end_with(parent)
        while True:
            request = _read(requests, _SIZE.unpack(_read(requests, _SIZE.size))[0])
            signal.alarm(math.ceil(seconds) + 1)  # nobody may be left who ends it
            content = answer(request)
            signal.alarm(0)
            for part in (_SIZE.pack(len(content)), content):
                rest = memoryview(part)
                while rest:
                    rest = rest[os.write(answers, rest[:CHUNK]):]
    finally:
        os._exit(0)
