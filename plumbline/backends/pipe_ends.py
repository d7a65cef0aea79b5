"""Read a process's output, and keep its beginning and end."""

from __future__ import annotations

import os
import threading
from typing import IO

from plumbline.backends.foreign_text import plain

HEAD, TAIL = 1 << 12, 1 << 13
"""Bytes that are kept."""

PATIENCE = 2.0
"""Seconds to read the pipe of a process that ended: one that it left behind may hold the pipe open."""


class PipeEnds:
    """Reads a pipe in a thread; the writer never waits."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._lock = threading.Lock()
        self.mark()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def mark(self) -> None:
        """Forget what was read so far."""
        with self._lock:
            self._head, self._tail, self._dropped = b"", b"", 0

    def settle(self) -> None:
        """Wait until all is read that a process wrote before its end."""
        self._thread.join(PATIENCE)

    def lines(self, count: int = 5) -> str:
        """Return the last `count` lines as one text.

        Where bytes were dropped before them, also the first line and the number of those bytes."""
        with self._lock:
            head, tail, dropped = self._head, self._tail, self._dropped
        if not dropped:
            return plain("\n".join(_lines(head + tail)[-count:]))
        return plain("\n".join([*_lines(head)[:1], f"({dropped} bytes are left out)", *_lines(tail)[-count:]]))

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), 1 << 16):
                with self._lock:
                    room = HEAD - len(self._head)
                    self._head += chunk[:room]
                    rest = self._tail + chunk[room:]
                    self._tail = rest[-TAIL:]
                    self._dropped += len(rest) - len(self._tail)


def _lines(data: bytes) -> list[str]:
    return data.decode(errors="replace").strip().splitlines()
