"""Exchange lines of JSON with a process."""

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

from plumbline.backends.memory import INTERVAL, MemoryWatch, limit_addresses
from plumbline.backends.pipe_ends import PipeEnds
from plumbline.processes.supervision import Child, pipe_of

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

CHUNK = 1 << 16
PIPE = 1 << 20
"""Bytes of a pipe, where the system lets one ask for so many: the default of 64 KB takes a turn for each."""

SHOWN = 120
"""Bytes of a line that is no JSON which a message shows."""

LARGEST_DESCRIPTION = 1 << 22
"""Bytes of what a backend says of itself."""

LARGEST_ANSWER = 1 << 30
"""Bytes: far above the outputs of any case, not above those of a large model on trial."""

FAREWELL = 0.2
"""Seconds for a process to end by itself once its pipe is closed."""

ENDING = 2.0
"""Seconds for a process that closed its pipe to end, also on a busy machine."""

OUT_OF_MEMORY = re.compile(r"bad_alloc|MemoryError|out of memory|(can|could )not allocate memory|memory allocation",
                           re.I)
"""Last words of a process that runs out of memory: C++, Python, the C library, Rust."""


def how_it_ended(status: int, lines: str) -> str:
    """Describe the end of a process from its status and last lines."""
    if status >= 0:
        how = f"exit status {status}"
    else:
        how = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"out of memory ({how})" if OUT_OF_MEMORY.search(lines) else how


def line(data: Any) -> bytes:
    """Return data as a line of JSON without spaces."""
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


class Conversation:
    """A process that reads and writes lines of JSON.

    `memory_limit` is in mebibytes. Raises OSError if it cannot be started."""

    def __init__(self, command: Sequence[str], memory_limit: int) -> None:
        if not hasattr(select, "poll"):
            raise OSError(0, "a backend in a process of its own needs a system with poll(2); in-process trials do not")
        self._child = Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._process = self._child.process
        self._stdin, self._stdout = pipe_of(self._process.stdin), pipe_of(self._process.stdout)
        self._memory_limit, self._memory = memory_limit, MemoryWatch(self._process.pid, memory_limit)
        self._stderr = PipeEnds(pipe_of(self._process.stderr))
        os.set_blocking(self._stdin.fileno(), False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            for pipe in (self._stdin, self._stdout):
                with contextlib.suppress(OSError):
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._stdout, select.POLLIN)
        self._writable.register(self._stdin, select.POLLOUT)
        self._rest, self._chunk = b"", memoryview(bytearray(CHUNK))
        self._status: int | None = None

    @property
    def ended(self) -> bool:
        """True if the process ended by itself."""
        return self._process.poll() is not None

    def limit_memory(self, addresses: bool) -> None:
        """Limit the memory beyond the present use, and `addresses` too."""
        self._memory.start_from_here()
        if addresses:
            limit_addresses(self._process.pid, self._memory_limit)

    def mark(self) -> None:
        """Make `last_lines` forget what was written so far."""
        self._stderr.mark()

    def send(self, line: bytes, deadline: float, data: Sequence[np.ndarray] = ()) -> None:
        """Send a line, and bytes behind it.

        Raises TimeoutError if the process does not read in time, BrokenPipeError if it ended, MemoryLimitError."""
        parts = [memoryview(line), *(array.data for array in data)]
        if sum(map(len, parts)) <= CHUNK:
            parts = [memoryview(b"".join(parts))]
        for part in parts:
            rest = part
            while rest:
                while not self._writable.poll(max(min(deadline - time.monotonic(), INTERVAL), 0) * 1000):
                    self._memory.check()
                    if time.monotonic() >= deadline:
                        raise TimeoutError
                rest = rest[os.write(self._stdin.fileno(), rest[:PIPE]):]

    def receive(self, deadline: float, largest: int = LARGEST_ANSWER) -> Any:
        """Return the next line as data.

        Raises TimeoutError, EOFError if the process ended, ValueError if the line is not JSON or larger than so many
        bytes, MemoryLimitError."""
        chunks, size = [self._rest], len(self._rest)
        while b"\n" not in chunks[-1]:
            chunks.append(bytes(self._chunk[:self._more(self._chunk, deadline)]))
            size += len(chunks[-1])
            if size > largest:
                raise ValueError(f"it is larger than {largest} bytes")
        line, _, self._rest = b"".join(chunks).partition(b"\n")
        try:
            return json.loads(line.decode())
        except ValueError:
            raise ValueError(f"{line[:SHOWN].decode(errors='replace')!r} is no JSON; stdout is for answers alone, all "
                             "else belongs on stderr") from None

    def receive_bytes(self, sizes: Sequence[int], deadline: float) -> list[np.ndarray]:
        """Return the next bytes that the process sends, as arrays of uint8.

        sizes:    number of bytes of each array.
        deadline: by `time.monotonic`.

        Raises what `receive` raises, and TypeError for what is not a size."""
        if sum(sizes) > LARGEST_ANSWER:
            raise ValueError(f"it is larger than {LARGEST_ANSWER} bytes")
        rest, parts = np.frombuffer(self._rest, np.uint8), []
        for size in sizes:
            part = np.empty(size, np.uint8)
            done = min(len(rest), size)
            part[:done], rest = rest[:done], rest[done:]
            while done < size:
                done += self._more(part[done:].data, deadline)
            parts.append(part)
        self._rest = rest.tobytes()
        return parts

    def _more(self, into: memoryview, deadline: float) -> int:
        """Read at least one byte into memory; return how many."""
        while (left := deadline - time.monotonic()) >= 0:
            ended = self.ended
            self._memory.check()
            if self._readable.poll(min(left, INTERVAL) * 1000):
                if read := os.readv(self._stdout.fileno(), [into]):
                    return read
                with contextlib.suppress(subprocess.TimeoutExpired):  # its own exit status says more than being killed
                    self._process.wait(timeout=ENDING)
                raise EOFError
            if ended:
                raise EOFError
        raise TimeoutError

    def end(self, farewell: bytes = b"") -> None:
        """End the process with all that it started. For a moment, after `farewell`, it may end by itself."""
        if self._status is None:
            with contextlib.suppress(OSError):
                os.write(self._stdin.fileno(), farewell)
            self._stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=FAREWELL)
            self._status = self._child.end()
            self._stdout.close()
            self._stderr.settle()
            self._child.remove()

    def how_it_ended(self) -> str:
        """Describe how the process ended; call `end` before."""
        if self._status is None:
            raise ValueError("the process was not ended")
        return how_it_ended(self._status, self.last_lines())

    def last_lines(self) -> str:
        """Return the last lines of stderr since `mark`."""
        return self._stderr.lines()
