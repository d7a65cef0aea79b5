"""Progress of campaigns and model trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

from tqdm import tqdm

from plumbline.cases.generate.exhaustive import PART
from plumbline.trial.campaign.tally import Tally

EVERY = 30.0
"""Seconds between lines where there is no terminal."""


class Progress:
    """Reports calls done, rate, findings and time left.

    `done` of `calls` were done before.
    """

    def __init__(self, calls: int, done: int, stream: TextIO) -> None:
        self._stream = stream
        self._bar = tqdm(total=calls, initial=done, unit="call", unit_scale=True, dynamic_ncols=True, file=stream,
                         disable=not stream.isatty())
        self._calls, self._before = calls, done
        self._began = self._last = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._bar.close()

    def __call__(self, tally: Tally) -> None:
        """Report the calls of a tally as done."""
        if not self._bar.disable:
            self._bar.set_postfix_str(_findings(tally), refresh=False)
            self._bar.update(tally.calls - self._bar.n)
        elif time.monotonic() - self._last >= EVERY:
            self._last = time.monotonic()
            self._stream.write(f"{self._line(tally)}\n")
            self._stream.flush()

    def _line(self, tally: Tally) -> str:
        rate = (tally.calls - self._before) / (self._last - self._began)
        left = tqdm.format_interval((self._calls - tally.calls) / rate)
        return f"{tally.calls} of {self._calls} calls, {rate:.0f} calls/s, {_findings(tally)}, {left} left"


def rate_line(calls: int, seconds: float, all_calls: int) -> str:
    """Report values a second of --every, and the time for all values."""
    rate = calls * PART / seconds
    whole = tqdm.format_interval(all_calls * PART / rate) if rate else "?"
    return f"{calls * PART:,} values in {seconds:.1f} s, {rate:,.0f} a second; all {all_calls * PART:,} take {whole}"


@contextmanager
def nodes_done(nodes: int, stream: TextIO) -> Iterator[Callable[[int], None]]:
    """Show a bar for the steps of a model trial, on a terminal only.

    The function that it gives takes the number of further steps."""
    with tqdm(total=nodes, unit="step", dynamic_ncols=True, file=stream, disable=not stream.isatty(),
              leave=False) as bar:
        def advance(steps: int) -> None:
            bar.update(steps)
        yield advance


def _findings(tally: Tally) -> str:
    """Report accusing root causes: each may have a thousand calls."""
    causes = [cause for cause in tally.causes if cause.accuses]
    new = sum(not cause.known for cause in causes)
    return f"findings: {new} new, {len(causes) - new} known"
