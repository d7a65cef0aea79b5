"""One-line reports of errors and hangs in others' specifications.

Others' specifications are the files in `named_folders()`; the suite calls their code in this process. An exception is
theirs if a frame of its traceback is in such a file. Their code hangs if one call is still running after LIMIT seconds;
a timer checks each second.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from plumbline.data import PACKAGE
from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Operator
from plumbline.oracle.discovery import named_folders
from plumbline.oracle.predicates import predicates
from plumbline.oracle.safe_text import safe
from plumbline.processes.workers import Begin

VARIABLE = "PLUMBLINE_CODE_LIMIT"
"""The variable that sets the limit, in seconds."""

LIMIT = 20
"""Seconds that one call of a specification's code may take by default."""

_running: tuple[FrameType | None, int] = (None, 0)
"""The outermost frame of others' code at the last check, and the seconds it has been running."""


class CodeHangs(Exception):
    """A specification's code does not return; the message is one line."""


def error_line(error: BaseException) -> str:
    """Describe an exception in one line: with file, line and clause if a specification's code raised it."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, CodeHangs):
        return safe(str(error))
    frames = _frames(error)
    return safe(f"{_place_of(frames) or _own(frames)}{what}")


@contextlib.contextmanager
def guarded(begin: Begin, *args: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield the worker function, with others' code limited in time.

    begin: called with args, returns a context manager on the worker function, which takes one argument; see
           `plumbline.processes.workers`.
    args:  the arguments of begin.

    Exceptions of others' code become a SpecError that names file, line and clause: no traceback leaves the process."""
    def work(given: Any) -> Any:
        try:
            return unguarded(given)
        except Exception as error:
            raise (SpecError(error_line(error)) if _place_of(_frames(error)) else error) from None

    limit_code()
    with begin(*args) as unguarded:
        yield work


def _frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """Return the frames of an exception, the innermost last, after those of its cause."""
    cause = _frames(error.__cause__) if error.__cause__ is not None else []
    return [*traceback.walk_tb(error.__traceback__), *cause]


def limit_code() -> None:
    """Raise CodeHangs in this process, should a call of others' code take more than LIMIT seconds. On the main thread
    alone, and not on Windows."""
    if named_folders() and hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGALRM, _look)
        signal.setitimer(signal.ITIMER_REAL, 1, 1)


def _look(number: int, frame: FrameType | None) -> None:
    global _running
    frames = list(_outwards(frame))
    outermost = next((frame for frame in reversed(frames) if _is_foreign(frame)), None)
    before, passed = _running
    _running = (outermost, passed + 1 if outermost is not None and outermost is before else 0)
    limit = os.environ.get(VARIABLE, "")
    seconds = int(limit) if limit.isdecimal() else LIMIT
    if outermost is not None and _running[1] >= seconds:
        _running = (None, 0)
        raise CodeHangs(f"{_place_of([(frame, frame.f_lineno) for frame in reversed(frames)])}no answer within "
                        f"{seconds} seconds; {VARIABLE} sets that limit")


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_foreign(frame: FrameType) -> bool:
    return any(frame.f_code.co_filename.startswith(os.path.realpath(name) + os.sep)
               for name in named_folders().split(os.pathsep) if name)


def _place_of(frames: list[tuple[FrameType, int]]) -> str:
    """``FILE:LINE: CLAUSE: `` of the innermost code of others, or of what the suite made of its answer."""
    innermost = next(((frame, line) for frame, line in reversed(frames) if _is_foreign(frame)), None)
    if innermost is None:
        return ""
    asked = next((name for frame, _ in reversed(frames) if _is_foreign(frame) and (name := _clause(frame))), None)
    frame, line = innermost
    return f"{frame.f_code.co_filename}:{line}: {asked or frame.f_code.co_name}: "


def _clause(frame: FrameType) -> str | None:
    """The clause that a function decides."""
    definition = frame.f_locals.get("self")
    if not isinstance(definition, Operator):
        return None
    return next((predicate.clause for predicate in predicates(type(definition))
                 if getattr(predicate.function, "__code__", None) is frame.f_code), None)


def _own(frames: list[tuple[FrameType, int]]) -> str:
    """Return the place of an error of the suite, and others' definition that it was about, if any."""
    own = [(frame, line) for frame, line in frames if frame.f_code.co_filename.startswith(str(PACKAGE))]
    if not own:
        return ""
    frame, line = own[-1]
    place = f"{frame.f_code.co_filename.removeprefix(str(PACKAGE.parent) + os.sep)}:{line}"
    for frame, _ in reversed(frames):
        for value in frame.f_locals.values():
            if file := _file_of(_definition(value)):
                return f"{file}: what its code gives cannot be used ({place}): "
    return f"unexpected error, likely a fault of the suite ({place}; PLUMBLINE_TRACEBACK=1 shows more): "


def _definition(value: object) -> type | None:
    """The operator definition that a value of the suite is about."""
    if type(value).__module__.startswith("plumbline."):
        with contextlib.suppress(Exception):
            value = getattr(value, "definition", value)
    kind = value if isinstance(value, type) else type(value)
    return kind if issubclass(kind, Operator) else None


def _file_of(definition: type | None) -> str | None:
    """The file of a definition outside the package."""
    for value in vars(definition).values() if definition is not None else ():
        function = getattr(value, "function", getattr(value, "__func__", getattr(value, "fget", value)))
        path = str(getattr(getattr(function, "__code__", None), "co_filename", PACKAGE))
        if not path.startswith(str(PACKAGE)):  # predicates that a family makes are the suite's
            return path
    return None
