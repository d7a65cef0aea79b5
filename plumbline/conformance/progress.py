"""Print the progress line of a conformance run."""

from __future__ import annotations

import time

from _pytest._io import TerminalWriter
from tqdm import tqdm

from plumbline.trial.run.session import Result

OFTEN, SELDOM = 0.2, 30.0
"""Seconds between two states of the line on a terminal, and between two lines elsewhere."""


class Progress:
    """Results done, their rate, the time left, and faults so far, on a line that replaces itself on a terminal."""

    def __init__(self, of: int, writer: TerminalWriter, is_shown: bool) -> None:
        self._of, self._writer, self._is_shown = of, writer, is_shown
        self._done = self._new = self._known = 0
        self._began = self._last = time.monotonic()

    def done(self, result: Result) -> None:
        """Count a result, and update the line now and then."""
        self._done += 1
        self._new += result.accuses and result.known is None
        self._known += result.accuses and result.known is not None
        now = time.monotonic()
        if self._is_shown and now - self._last >= (OFTEN if self._writer.hasmarkup else SELDOM):
            self._last = now
            line = tqdm.format_meter(
                self._done, self._of, now - self._began, ncols=self._writer.fullwidth if self._writer.hasmarkup else 0,
                unit="result", postfix=f"{self._new:,} new, {self._known:,} known")
            self._writer.write(f"\r{line}" if self._writer.hasmarkup else f"{line}\n", flush=True)

    def close(self) -> None:
        """Remove the line from a terminal."""
        if self._is_shown and self._writer.hasmarkup and self._last != self._began:
            self._writer.write(f"\r{' ' * (self._writer.fullwidth - 1)}\r", flush=True)
