"""Data classes of the oracle's answers on calls and outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np


class OutsideDomain(ValueError):
    """Outputs were asked for, or judged, of a call that breaks a clause."""


class TooLarge(ValueError):
    """An output is larger than can be judged; the text says how large. Nothing of it was allocated."""


@dataclass(frozen=True)
class Violation:
    """A clause that a call breaks, and why in one line."""

    clause: str
    why: str


@dataclass(frozen=True)
class Standing:
    """The state of a clause for a call.

    state: ``"kept"``, ``"broken"``, ``"blocked"`` (it rests on a clause that is broken, so it was not asked) or
           ``"undecided"`` (it depends on what is not known of the call).
    why:   one line: why the clause is broken, or what is not known; "" for the others.
    """

    clause: str
    state: Literal["kept", "broken", "blocked", "undecided"]
    why: str = ""


@dataclass(frozen=True, eq=False)
class UnspecifiedOutput:
    """The part of an output that U clauses leave unspecified.

    clauses: addresses of the U clauses that apply.
    mask:    bool array of the output's shape, True where open; ``"whole"`` when even the shape is open.
    """

    clauses: tuple[str, ...]
    mask: np.ndarray | Literal["whole"]


@dataclass(frozen=True, eq=False)
class Divergence:
    """A clause that outputs break.

    clause:   address of the clause.
    output:   name of the output.
    why:      one line.
    where:    int array (n, rank): coordinates in the output of the n elements that differ; None for shape, type and
              absence, which concern the whole output.
    expected: the n elements wanted (one allowed answer), or a text for shape, type and absence.
    got:      the n elements found, or a text.
    beyond:   how many more elements of a large output differ, whose places are not kept.
    """

    clause: str
    output: str
    why: str
    where: np.ndarray | None = None
    expected: np.ndarray | str = field(default="")
    got: np.ndarray | str = field(default="")
    beyond: int = 0


@dataclass(frozen=True, eq=False)
class Wrong:
    """A finding of a predicate on outputs. `mask` marks the wrong elements; None means the whole output."""

    output: str
    why: str
    mask: np.ndarray | None = None
    expected: np.ndarray | str = ""
    got: np.ndarray | str = ""

    def at(self, clause: str) -> Divergence:
        """Return the finding as a divergence from a clause, given by its address."""
        if self.mask is None:
            return Divergence(clause, self.output, self.why, None, self.expected, self.got)
        return Divergence(clause, self.output, self.why, np.argwhere(self.mask),
                          np.asarray(self.expected)[self.mask], np.asarray(self.got)[self.mask])
