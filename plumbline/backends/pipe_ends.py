"""The first and the last of what a process writes to a pipe, however much that is."""

from __future__ import annotations

import os
import threading
from typing import Any

from plumbline.backends.foreign_text import plain

HEAD, TAIL = 1 << 12, 1 << 13
"""Bytes that are kept."""

PATIENCE = 2.0
"""Seconds to read what is still in the pipe of a process that ended; a process that it left behind may hold it."""


class Ends:
    """Reads a pipe in a thread of its own until it is closed, so that who writes to it never waits."""

    def __init__(self, pipe: Any) -> None:
        self._lock = threading.Lock()
        self.mark()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def mark(self) -> None:
        """Forget what came so far."""
        with self._lock:
            self._head, self._tail, self._dropped = b"", b"", 0

    def settle(self) -> None:
        """Wait until everything is read that a process wrote before it ended."""
        self._thread.join(PATIENCE)

    def lines(self, count: int = 5) -> str:
        """The last lines; where some bytes were dropped before them also the first one, and how many they were."""
        with self._lock:
            head, tail, dropped = self._head, self._tail, self._dropped
        if not dropped:
            return plain("\n".join(_lines(head + tail)[-count:]))
        return plain("\n".join([*_lines(head)[:1], f"({dropped} bytes are left out)", *_lines(tail)[-count:]]))

    def _read(self, pipe: Any) -> None:
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
