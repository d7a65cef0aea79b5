"""Data classes of the outcomes of a request, and their comparison.

Each request has exactly one outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plumbline.backends.foreign_text import NAME, one_line
from plumbline.oracle.type_names import name_of, shown


@dataclass(frozen=True, eq=False)
class Answered:
    """The outputs that the backend gave, by name.

    gap:      why the call is outside the declared capabilities, None where it is inside.
    provider: what computed it, where the backend says so.
    harm:     damage done by the call: an input was overwritten, or an earlier output.
    accuracy: the largest error, in ulp, that the backend declares for this call.
    """

    outputs: Mapping[str, np.ndarray]
    gap: str | None = None
    provider: str | None = None
    harm: str | None = None
    accuracy: float | None = None


@dataclass(frozen=True)
class Raised:
    """A refusal: its phase ("check", "load", "run") and exception.

    own: file, line and source if the adapter's own code failed by mistake, "" otherwise.
    """

    phase: str
    type: str
    message: str
    gap: str | None = None
    harm: str | None = None
    own: str = ""

    def mistake(self, inputs: Iterable[str]) -> str:
        """The exception; with the names of the call's inputs if the adapter looked for another name among them.

        >>> Raised("run", "KeyError", "'x'", own='my.py:3: x = request.inputs["x"]').mistake(["X", "axes"])
        "KeyError: 'x'; the inputs of this call are X, axes"
        """
        names = f"; the inputs of this call are {', '.join(inputs)}" if "inputs" in self.own else ""
        return f"{self.type}: {self.message}{names if self.type == 'KeyError' else ''}"


@dataclass(frozen=True)
class Crashed:
    """The process ended during the call, or ran out of memory.

    how:    ``"SIGSEGV"``, ``"exit status 3"``, ``"out of memory"``.
    stderr: the last lines of stderr.
    """

    how: str
    stderr: str = ""


@dataclass(frozen=True)
class Hung:
    """No answer within the limit, in seconds."""

    limit: float


@dataclass(frozen=True)
class Failed:
    """Why the suite could not run the call or read the answer."""

    why: str


Outcome = Answered | Raised | Crashed | Hung | Failed


def in_words(outcome: Outcome) -> str:
    """Describe an outcome in one line."""
    match outcome:
        case Answered(outputs=outputs):
            return f"answered {', '.join(one_line(name, NAME) for name in outputs) or 'nothing'}"
        case Raised(phase=phase, type=name, message=message):
            return f"refused ({phase}): {name}: {' '.join(message.split())}"
        case Crashed(how=how, stderr=stderr):
            return f"crashed: {how}" + (f"; stderr ends: {' '.join(stderr.split())}" if stderr else "")
        case Hung(limit=limit):
            return f"no answer within {limit:g} s"
        case Failed(why=why):
            return why


def difference(first: Outcome, second: Outcome) -> str | None:
    """Describe how two outcomes of one call differ, None where they agree.

    Refusals are compared by kind, not by message: a message may hold an address in memory."""
    if isinstance(first, Answered) and isinstance(second, Answered):
        for name in dict.fromkeys([*first.outputs, *second.outputs]):
            before, after = first.outputs.get(name), second.outputs.get(name)
            if before is None or after is None:
                return f"{name} was given {'the second' if before is None else 'the first'} time alone"
            if (before.dtype, before.shape) != (after.dtype, after.shape):
                return (f"{name} was {name_of(before.dtype)}{list(before.shape)} and then "
                        f"{name_of(after.dtype)}{list(after.shape)}")
            places = np.argwhere(_unequal(before, after))
            if len(places):
                place = tuple(map(int, places[0]))
                return f"{name}{list(place)} was {shown(before[place])} and then {shown(after[place])}"
        return None
    if _kind(first) == _kind(second):
        return None
    return f"at first: {in_words(first)}; then: {in_words(second)}"


def _kind(outcome: Outcome) -> tuple[str, ...]:
    match outcome:
        case Raised(phase=phase, type=name):
            return "Raised", phase, name
        case Crashed(how=how):
            return "Crashed", how
    return type(outcome).__name__,


def _unequal(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the mask of elements that differ, zeros by sign.

    All NaNs are equal, in either part of a complex number."""
    if before.dtype.kind == "c":
        return _unequal(before.real, after.real) | _unequal(before.imag, after.imag)
    unequal: NDArray[np.bool_]
    if before.dtype.kind not in "fV":  # V: bfloat16 and other types that numpy does not have
        unequal = before != after
    else:
        unequal = ~((before == after) & (np.signbit(before) == np.signbit(after)) | np.isnan(before) & np.isnan(after))
    return unequal
