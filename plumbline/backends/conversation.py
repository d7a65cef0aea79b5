"""One process with which lines of JSON are exchanged, from its start to its end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from plumbline.backends.memory import GLANCE, MemoryWatch, limit_addresses
from plumbline.backends.pipe_ends import Ends
from plumbline.backends.supervision import Child

CHUNK = 1 << 16
LARGEST_ANSWER = 1 << 30
"""Bytes. No output of a case comes near it; tensors of a large model on trial may."""

FAREWELL = 0.2
"""Seconds in which a process may end by itself when its pipe is closed."""

ENDING = 2.0
"""Seconds in which a process that closed its own pipe ends, also on a busy machine."""

OUT_OF_MEMORY = re.compile(r"bad_alloc|MemoryError|out of memory|(can|could )not allocate memory|memory allocation",
                           re.I)
"""What a process says before it ends for want of memory: C++, Python, the C library, Rust."""


def how_it_ended(status: int, lines: str) -> str:
    """The end of a process in words, from its status and the last lines that it wrote."""
    if status >= 0:
        how = f"exit status {status}"
    else:
        how = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"out of memory ({how})" if OUT_OF_MEMORY.search(lines) else how


def line(data: Any) -> bytes:
    """Data as a line of JSON, without spaces."""
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


class Conversation:
    """A process that reads and writes lines of JSON, with a limit of its memory in mebibytes. Raises OSError where it
    cannot be started."""

    def __init__(self, command: Sequence[str], memory_limit: int) -> None:
        if not hasattr(select, "poll"):
            raise OSError(0, "a backend in a process of its own needs a system with poll(2); in-process trials do not")
        self._child = Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._process = self._child.process
        self._memory_limit, self._memory = memory_limit, MemoryWatch(self._process.pid, memory_limit)
        self._stderr = Ends(self._process.stderr)
        os.set_blocking(self._process.stdin.fileno(), False)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._process.stdout, select.POLLIN)
        self._writable.register(self._process.stdin, select.POLLOUT)
        self._rest = b""
        self._status: int | None = None

    @property
    def ended(self) -> bool:
        """Whether the process ended by itself."""
        return self._process.poll() is not None

    def limit_memory(self, addresses: bool) -> None:
        """Limit what is used beyond what there is now; where `addresses` are asked for, what is mapped too."""
        self._memory.start_from_here()
        if addresses:
            limit_addresses(self._process.pid, self._memory_limit)

    def mark(self) -> None:
        """Let `last_lines` be about what is written from now on."""
        self._stderr.mark()

    def send(self, line: bytes, deadline: float, data: Sequence[np.ndarray] = ()) -> None:
        """A line, and bytes behind it. Raises TimeoutError when the process does not read in time, BrokenPipeError when
        it ended, MemoryLimitError."""
        is_small = len(line) + sum(map(len, data)) <= CHUNK
        for part in [b"".join([line, *data])] if is_small else [line, *data]:
            rest = memoryview(part)
            while rest:
                while not self._writable.poll(max(min(deadline - time.monotonic(), GLANCE), 0) * 1000):
                    self._memory.check()
                    if time.monotonic() >= deadline:
                        raise TimeoutError
                rest = rest[os.write(self._process.stdin.fileno(), rest[:CHUNK]):]

    def receive(self, deadline: float) -> Any:
        """The next line. Raises TimeoutError, EOFError when the process ended, ValueError when it is not JSON or larger
        than LARGEST_ANSWER, MemoryLimitError."""
        chunks, size = [self._rest], len(self._rest)
        while b"\n" not in chunks[-1]:
            chunks.append(self._more(CHUNK, deadline))
            size += len(chunks[-1])
            if size > LARGEST_ANSWER:
                raise ValueError(f"it is larger than {LARGEST_ANSWER} bytes")
        line, _, self._rest = b"".join(chunks).partition(b"\n")
        return json.loads(line.decode())

    def receive_bytes(self, sizes: Sequence[int], deadline: float) -> list[np.ndarray]:
        """As many bytes as each is to have. Raises what `receive` raises, and TypeError for what is not a size."""
        if sum(sizes) > LARGEST_ANSWER:
            raise ValueError(f"it is larger than {LARGEST_ANSWER} bytes")
        rest, found = np.frombuffer(self._rest, np.uint8), []
        for size in sizes:
            part = np.empty(size, np.uint8)
            done = min(len(rest), size)
            part[:done], rest = rest[:done], rest[done:]
            while done < size:
                more = np.frombuffer(self._more(min(size - done, CHUNK), deadline), np.uint8)
                part[done:done + len(more)] = more
                done += len(more)
            found.append(part)
        self._rest = rest.tobytes()
        return found

    def _more(self, size: int, deadline: float) -> bytes:
        """At least one byte and at most so many."""
        while (left := deadline - time.monotonic()) >= 0:
            ended = self.ended
            self._memory.check()
            if self._readable.poll(min(left, GLANCE) * 1000):
                found = os.read(self._process.stdout.fileno(), size)
                if found:
                    return found
                with contextlib.suppress(subprocess.TimeoutExpired):  # its own end says more than ours would
                    self._process.wait(timeout=ENDING)
                raise EOFError
            if ended:
                raise EOFError
        raise TimeoutError

    def end(self, farewell: bytes = b"") -> None:
        """End the process with all that it started; for a moment, after `farewell`, it may end by itself."""
        if self._status is None:
            with contextlib.suppress(OSError):
                os.write(self._process.stdin.fileno(), farewell)
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=FAREWELL)
            self._status = self._child.end()
            self._process.stdout.close()
            self._stderr.settle()
            self._child.remove()

    def how_it_ended(self) -> str:
        """In words, after `end`."""
        return how_it_ended(self._status, self.last_lines())

    def last_lines(self) -> str:
        """Of stderr, since `mark`."""
        return self._stderr.lines()
