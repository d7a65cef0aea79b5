"""What comes of a request: exactly one outcome each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Answered:
    """The outputs that came back, by name.

    gap:      what the backend had declared that it lacks for this call, None when it had declared the call.
    provider: what computed it, where the backend tells.
    """

    outputs: Mapping[str, np.ndarray]
    gap: str | None = None
    provider: str | None = None


@dataclass(frozen=True)
class Raised:
    """A refusal: in which phase ("check", "load", "run"), with which exception; `gap` as in Answered."""

    phase: str
    type: str
    message: str
    gap: str | None = None


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
            return f"answered {', '.join(outputs) or 'nothing'}"
        case Raised(phase=phase, type=name, message=message):
            return f"refused ({phase}): {name}: {' '.join(message.split())}"
        case Crashed(how=how, stderr=stderr):
            return f"crashed: {how}" + (f"; stderr ends: {' '.join(stderr.split())}" if stderr else "")
        case Hung(limit=limit):
            return f"no answer within {limit:g} s"
        case Failed(why=why):
            return why
