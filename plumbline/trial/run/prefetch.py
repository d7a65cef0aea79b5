"""Prefetch results in copies of this process.

Each copy has the backend in a process of its own. Submissions are split into parts of fixed size, so that results do
not depend on the number of processes. If a process is lost, this one runs its part when the turn comes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from plumbline.oracle.foreign_code import guarded
from plumbline.processes.copies import CAN_COPY
from plumbline.processes.workers import Workers
from plumbline.trial.known.register import Usage
from plumbline.trial.record.judge import Verdict
from plumbline.trial.run.submission import SHARE, Submission

PART = 4 * SHARE
"""Results of a part, where calls are put one by one."""

LOSSES = 4
"""Parts that may be lost, with the process that had each, before nobody works ahead any more."""

WORTHWHILE = 8
"""Parts; a run that has fewer is over before the processes would be ready."""


@dataclass(frozen=True, eq=False)
class Found:
    """The result of one submission.

    known:    the id of the known divergence that explains it, "" if none does.
    symptoms: those that its line records.
    tries:    the clauses that the case tests.
    line:     the line of the record, as JSON.
    """

    verdict: Verdict
    known: str
    symptoms: tuple[str, ...]
    tries: tuple[str, ...]
    line: str


@dataclass(frozen=True, eq=False)
class Part:
    """The results of a part by index; use of known divergences; notes of the host."""

    found: dict[int, Found]
    usage: Usage
    notes: list[str]


Work = Callable[[Sequence[Submission]], Part]
"""Submits and judges the submissions of a part."""


class Prefetch:
    """Results of `submissions` from `count` processes, until it is closed.

    begin:   a context manager, entered in each process, that gives the function which runs a part.
    arrived: called with each part before any result of it is taken.
    batch:   how many calls the backend takes at once.
    """

    def __init__(self, submissions: Sequence[Submission], begin: Callable[[], contextlib.AbstractContextManager[Work]],
                 arrived: Callable[[Part], None], *, count: int, batch: int) -> None:
        self._size, self._arrived = max(PART, SHARE * batch), arrived
        parts = range(0, len(submissions), self._size)
        self._places = {(case.spec, case.id, form): place for place, (case, form) in enumerate(submissions)}
        self._left: Iterator[int] = iter(range(len(parts)))
        self._found: dict[int, dict[int, Found]] = {}
        self._losses = 0
        self._stack = contextlib.ExitStack()
        self._workers = self._stack.enter_context(Workers(
            count, multiprocessing.get_context("fork"), guarded, _by_number, begin,
            [submissions[start:start + self._size] for start in parts]))

    def take(self, submission: Submission) -> Found | None:
        """Return the result of a submission, once; None if its process was lost."""
        number, within = divmod(self._places.get((submission[0].spec, submission[0].id, submission[1]), -1), self._size)
        self._work(0)
        while number not in self._found and self._workers.busy:
            self._work(None)
        return self._found.get(number, {}).pop(within, None)

    def close(self) -> None:
        """End the processes."""
        self._stack.close()

    def _work(self, timeout: float | None) -> None:
        """Give parts to free processes, and collect finished ones.

        timeout: seconds to wait for a finished part, None without limit. After `LOSSES` lost processes, as when the
                 backend cannot start so often, no more parts are given."""
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


def can_copy(results: int) -> bool:
    """Return True if copies of this process work and are worthwhile."""
    return CAN_COPY and results >= WORTHWHILE * PART


@contextlib.contextmanager
def _by_number(begin: Callable[[], contextlib.AbstractContextManager[Work]],
               parts: Sequence[Sequence[Submission]]) -> Iterator[Callable[[int], Part]]:
    with begin() as work:  # only the number of a part crosses the pipe: the copy has the parts
        yield lambda number: work(parts[number])
