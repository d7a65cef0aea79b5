"""What a trial of a model is made of: its nodes, each way in which one was judged, a span of them."""

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


class Lines:
    """Stands where a record is written: the line of each result is kept with that, until all are known."""

    last: CaseLine

    def case(self, line: CaseLine) -> None:
        """One result."""
        self.last = line


@dataclass(eq=False)
class Subject:
    """A node with the specifications that it is judged by, and by each of these the known divergences about it; None
    where its types and shapes are not known."""

    step: Step
    name: str
    findings: list[Finding]
    known: dict[str, list[PossibleDivergence] | None] = field(default_factory=dict)
    why_not: str = ""
    """Why it was not judged; "" while nothing is in the way."""

    @property
    def possible_divergences(self) -> list[PossibleDivergence]:
        """The known divergences that it can meet."""
        return [each for some in self.known.values() for each in some or () if not each.lacks]


@dataclass(eq=False)
class Judged:
    """A node that was judged in one way. case: with all tensors, and what it gave in place; None once these are let
    go."""

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
        """Whether the backend is at fault, in a way that is not known."""
        return self.line.accuses and self.line.known is None


@dataclass(frozen=True, eq=False)
class Span:
    """Nodes that follow one another, as a model, with inputs. why: what it gives otherwise than they do one by one."""

    steps: Sequence[Step]
    model: bytes
    inputs: Tensors
    why: str
