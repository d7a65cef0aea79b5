"""What a trial of a model is made of: its nodes, each way in which one was judged, a span of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from plumbline.oracle.check.findings import Finding
from plumbline.trial.model_graph import Step
from plumbline.trial.model_known import Met
from plumbline.trial.record import CaseLine
from plumbline.trial.session import Result

Tensors = Mapping[str, np.ndarray]


@dataclass(eq=False)
class Lines:
    """The lines of a record, kept until it is known what it holds."""

    lines: list[CaseLine] = field(default_factory=list)

    def case(self, line: CaseLine) -> None:
        """One result."""
        self.lines.append(line)


@dataclass(frozen=True, eq=False)
class Judged:
    """A node that was judged in one way."""

    step: Step
    way: str
    result: Result
    line: CaseLine

    @property
    def news(self) -> bool:
        """Whether the backend is at fault, in a way that is not known."""
        return self.result.accuses and self.result.known is None


@dataclass(frozen=True, eq=False)
class Span:
    """Nodes that follow one another, as a model, with inputs. why: what it gives otherwise than they do one by one."""

    steps: Sequence[Step]
    model: bytes
    inputs: Tensors
    why: str


@dataclass(eq=False)
class Subject:
    """A node with the specifications that it is judged by, and what is known before anything runs."""

    step: Step
    name: str
    findings: list[Finding]
    met: list[Met] = field(default_factory=list)
    why_not: str = ""
    """Why it was not judged; "" while nothing is in the way."""
