"""Results that are found ahead of their turn: copies of this process each put and judge a part of the plan at a time.

Each has the backend in a process of its own. A part is planned by itself, so that what is put beside a call does not
depend on how many are at work; what a part costs its process is put by this one, when its turn comes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plumbline.cases.generate.process_copies import CAN_COPY
from plumbline.trial.known.register import Usage
from plumbline.trial.record.judge import Verdict
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import as_line
from plumbline.trial.run.submission import SHARE, Submission
from plumbline.trial.run.workers import Workers

if TYPE_CHECKING:
    from plumbline.trial.run.session import Session

PART = 4 * SHARE
"""Results of a part, where calls are put one by one."""

LOSSES = 4
"""Parts that may be lost, with the process that had each, before nobody works ahead any more."""

WORTHWHILE = 8
"""Parts; a run that has fewer is over before the processes would be ready."""


@dataclass(frozen=True, eq=False)
class Found:
    """What became of one put.

    known: the id of the known divergence that explains it, "" where none does.
    tries: the clauses that the case is there for, of which those of a generated case are computed when they are asked
    for.
    """

    verdict: Verdict
    known: str
    tries: tuple[str, ...]
    line: str


@dataclass(frozen=True, eq=False)
class Part:
    """What became of the puts of a part, by their places in it; what was met of the known divergences; notes."""

    found: dict[int, Found]
    usage: Usage
    notes: list[str]


class Ahead:
    """The results of `puts`, until it is closed. `start` gives each of `count` processes its session, `batch` is how
    many calls the backend takes at once, and `arrived` is told of each part before any of it is taken."""

    def __init__(self, submissions: Sequence[Submission], start: Callable[[Lines], Session],
                 arrived: Callable[[Part], None], *, count: int, batch: int) -> None:
        self._size, self._arrived = max(PART, SHARE * batch), arrived
        parts = range(0, len(submissions), self._size)
        self._places = {(case.spec, case.id, form): place for place, (case, form) in enumerate(submissions)}
        self._left: Iterator[int] = iter(range(len(parts)))
        self._found: dict[int, dict[int, Found]] = {}
        self._losses = 0
        self._stack = contextlib.ExitStack()
        self._workers = self._stack.enter_context(Workers(
            count, multiprocessing.get_context("fork"), _at_work,
            start, [submissions[begin:begin + self._size] for begin in parts]))

    def take(self, submission: Submission) -> Found | None:
        """What became of one put, once; None where a process was lost over its part, or nobody is left."""
        number, within = divmod(self._places.get((submission[0].spec, submission[0].id, submission[1]), -1), self._size)
        self._work(0)
        while number not in self._found and self._workers.busy:
            self._work(None)
        return self._found.get(number, {}).pop(within, None)

    def close(self) -> None:
        """End the processes."""
        self._stack.close()

    def _work(self, timeout: float | None) -> None:
        """Keep everybody busy, and take what somebody is done with. Where process after process is lost, because the
        backend does not start so often for instance, there are no more."""
        while self._workers.free and self._losses <= LOSSES and (number := next(self._left, None)) is not None:
            with warnings.catch_warnings():  # numpy has threads, which are none of this process's own
                warnings.simplefilter("ignore", DeprecationWarning)
                self._workers.give(number)
        for number, answer in self._workers.ready(timeout) if self._workers.busy else ():
            if isinstance(answer, Part):
                self._arrived(answer)
            else:
                self._losses += 1
            self._found[number] = answer.found if isinstance(answer, Part) else {}


class Lines:
    """Stands where a record would be written, and holds the lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def case(self, line: CaseLine) -> None:
        """One result."""
        self.lines.append(as_line(line))


def can_copy(results: int) -> bool:
    """Whether so many results are worth copies of this process, and the system makes copies that work."""
    return CAN_COPY and results >= WORTHWHILE * PART


@contextlib.contextmanager
def _at_work(start: Callable[[Lines], Session], parts: Sequence[Sequence[Submission]]
             ) -> Iterator[Callable[[int], Part]]:
    lines = Lines()
    session = start(lines)

    def work(number: int) -> Part:
        noted = len(session.host.notes)
        lines.lines.clear()
        session.results.clear()
        session.plan(parts[number])
        for submission in parts[number]:
            session.submit(*submission)
        found = {place: Found(result.verdict, result.known.id if result.known else "", result.case.clauses, line)
                 for place, (result, line) in enumerate(zip(session.results, lines.lines, strict=True))}
        return Part(found, session.known.usage(), session.host.notes[noted:])

    try:
        yield work
    finally:
        session.host.close()
