"""Data classes of a model trial: nodes, their results, spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from plumbline.backends import Answered
from plumbline.cases import Case
from plumbline.oracle.check.judging import Finding
from plumbline.trial.model.graph import Step
from plumbline.trial.model.known_divergences import PossibleDivergence
from plumbline.trial.record.lines import CaseLine

Tensors = Mapping[str, np.ndarray]


@dataclass(eq=False)
class Subject:
    """A node of the model.

    findings: by specification that it is judged by.
    known:    by specification, the known divergences on its operator; None where types and shapes are unknown.
    why_not:  why it was not judged, "" if it was or nothing prevents it.
    unsettled: why it counts as undecided although it was judged.
    """

    step: Step
    name: str
    findings: list[Finding]
    known: dict[str, list[PossibleDivergence] | None] = field(default_factory=dict)
    why_not: str = ""
    unsettled: str = ""

    @property
    def possible_divergences(self) -> list[PossibleDivergence]:
        """The known divergences that can affect it."""
        return [each for entries in self.known.values() for each in entries or () if not each.lacks]


@dataclass(eq=False)
class Judged:
    """A result of a node.

    way:  "alone", "in-place", "probe-N" or "smaller".
    case: the node with all its tensors, None once they are released.
    gave: its outputs in the whole model, likewise.
    """

    subject: Subject
    way: str
    line: CaseLine
    case: Case | None
    gave: Answered | None = None

    @property
    def step(self) -> Step:
        """The node in its graph."""
        return self.subject.step

    @property
    def news(self) -> bool:
        """True if the backend is at fault in an unknown way."""
        return self.line.accuses and self.line.known is None


@dataclass(frozen=True, eq=False)
class Span:
    """Consecutive nodes as a model, with inputs.

    why: how its results differ from those of its nodes one by one.
    """

    steps: Sequence[Step]
    model: bytes
    inputs: Tensors
    why: str


@dataclass(frozen=True, eq=False)
class Change:
    """Consecutive nodes that give other bits together than one by one.

    share: largest difference of an output, as a share of its largest magnitude.
    """

    steps: Sequence[Step]
    share: float
