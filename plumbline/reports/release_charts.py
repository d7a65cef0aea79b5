"""Draw small charts of root causes over the releases of a backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.reports.columns import Column, versions
from plumbline.reports.findings import Finding
from plumbline.trial.record.judge import ACCUSES

HEIGHT = 15
"""Points of a bar if all calls are wrong."""


@dataclass(frozen=True)
class Bar:
    """A release: how many of a root cause's calls are wrong, of those tried."""

    version: str
    wrong: int
    tried: int

    @property
    def height(self) -> int:
        """Points; at least 2 if something is wrong."""
        return max(2, round(HEIGHT * self.wrong / self.tried)) if self.wrong else 0

    def __str__(self) -> str:
        return f"{self.version}: {self.wrong} of {self.tried} wrong" if self.tried else f"{self.version}: not tried"


@dataclass(frozen=True)
class Chart:
    """The bars of a backend, oldest release first."""

    backend: str
    bars: tuple[Bar, ...]


def release_charts(finding: Finding, shown: Sequence[Column]) -> list[Chart]:
    """Return a chart for each accused backend with several releases. `shown`: the records, one for each release."""
    counts_of = {label: entry.counts for entry in finding.verdicts for label in entry.labels}
    charts = []
    for name, numbers in versions(shown).items():
        bars = []
        for column in (shown[number] for number in numbers):
            counts = counts_of[column.label]
            bars.append(Bar(column.short, sum(counts[word] for word in ACCUSES), counts.total() - counts[""]))
        if any(shown[number].label in finding.accused for number in numbers):
            charts.append(Chart(name, tuple(bars)))
    return charts
