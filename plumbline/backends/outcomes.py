"""What comes of a request: exactly one outcome each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plumbline.backends.foreign_text import NAME, one_line


@dataclass(frozen=True, eq=False)
class Answered:
    """The outputs that came back, by name.

    gap:      what the backend had declared that it lacks for this call, None when it had declared the call.
    provider: what computed it, where the backend says so.
    harm:     what the call did besides: an input was overwritten, or an output handed out before.
    accuracy: the largest error, in ulp, that the backend had declared for this call.
    """

    outputs: Mapping[str, np.ndarray]
    gap: str | None = None
    provider: str | None = None
    harm: str | None = None
    accuracy: float | None = None


@dataclass(frozen=True)
class Raised:
    """A refusal: in which phase ("check", "load", "run"), with which exception; `gap` and `harm` as in Answered."""

    phase: str
    type: str
    message: str
    gap: str | None = None
    harm: str | None = None


@dataclass(frozen=True)
class Crashed:
    """The process ended during the call, or was out of memory: ``"SIGSEGV"``, ``"exit status 3"``,
    ``"out of memory"``; and its last lines of stderr."""

    how: str
    stderr: str = ""


@dataclass(frozen=True)
class Hung:
    """No answer within the limit, in seconds."""

    limit: float


@dataclass(frozen=True)
class Failed:
    """The suite could not put the call or read the answer, and why."""

    why: str


Outcome = Answered | Raised | Crashed | Hung | Failed


def in_words(outcome: Outcome) -> str:
    """An outcome in one line."""
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
    """How a second outcome of the same call differs from the first, in words; None where it does not. Of refusals the
    kind counts and not the message, which may name a place in memory."""
    if isinstance(first, Answered) and isinstance(second, Answered):
        for name in dict.fromkeys([*first.outputs, *second.outputs]):
            one, other = first.outputs.get(name), second.outputs.get(name)
            if one is None or other is None:
                return f"{name} was given {'the second' if one is None else 'the first'} time alone"
            if (one.dtype, one.shape) != (other.dtype, other.shape):
                return (f"{name} was {one.dtype.name}{list(one.shape)} and then "
                        f"{other.dtype.name}{list(other.shape)}")
            places = np.argwhere(_unequal(one, other))
            if len(places):
                place = tuple(map(int, places[0]))
                return f"{name}{list(place)} was {one[place]} and then {other[place]}"
        return None
    kinds = [(outcome.phase, outcome.type) if isinstance(outcome, Raised) else
             outcome.how if isinstance(outcome, Crashed) else "" for outcome in (first, second)]
    if type(first) is type(second) and kinds[0] == kinds[1]:
        return None
    return f"at first: {in_words(first)}; then: {in_words(second)}"


def _unequal(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where elements differ, the signs of zeros included; one NaN is as good as another, in either part of a complex
    number."""
    if one.dtype.kind == "c":
        return _unequal(one.real, other.real) | _unequal(one.imag, other.imag)
    if one.dtype.kind not in "fV":  # V: bfloat16 and other types that numpy does not have
        return one != other
    return ~((one == other) & (np.signbit(one) == np.signbit(other)) | np.isnan(one) & np.isnan(other))
