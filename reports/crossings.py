"""Results that are counted under another finding than the one where a reader may look for them: those of other columns
on the calls of a finding, and those that break the clause of a section beside another clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plumbline.reports.findings import Line
from plumbline.reports.sections import Finding, Result, Section


@dataclass(frozen=True)
class Crossing:
    """How many results of which columns, by their labels, a finding of some section counts."""

    section: Section
    finding: Finding
    counts: Counter[str]

    @property
    def by_number(self) -> dict[int, list[str]]:
        """The labels of the columns with as many results together."""
        found: dict[int, list[str]] = {}
        for label, number in self.counts.items():
            found.setdefault(number, []).append(label)
        return found


def on_the_same_calls(listed: Sequence[Section]) -> dict[str, list[Crossing]]:
    """For each finding, by its id, the results on its calls that other findings count."""
    owners = {(label, result_of(line)): (section, finding) for section, finding in _every(listed)
              for label, line in finding.held}
    labels = dict.fromkeys(label for label, _ in owners)
    found = {}
    for _, finding in _every(listed):
        results = {result_of(line) for _, line in finding.held}
        found[finding.id] = _crossings((owners[label, result], label) for label in labels for result in results
                                       if (label, result) in owners and owners[label, result][1] is not finding)
    return found


def of_the_same_clause(listed: Sequence[Section]) -> dict[str, list[Crossing]]:
    """For each section, by its id, the results that break its clause and that findings of other sections count."""
    return {section.id: _crossings(((other, finding), label) for other, finding in _every(listed)
                                   if other is not section for label, line in finding.held
                                   if section.clause and not set(section.addresses).isdisjoint(line["clauses"]))
            for section in listed}


def in_all(crossings: Iterable[Crossing]) -> Counter[str]:
    """How many results of which columns, over some crossings."""
    return sum((crossing.counts for crossing in crossings), Counter())


def result_of(line: Line) -> Result:
    """The result that a line is."""
    return line["spec"], line["id"], line["form"]


def _every(listed: Iterable[Section]) -> list[tuple[Section, Finding]]:
    return [(section, finding) for section in listed for finding in section.findings]


def _crossings(results: Iterable[tuple[tuple[Section, Finding], str]]) -> list[Crossing]:
    """Results by the finding that counts them, those with most first."""
    found: dict[str, Crossing] = {}
    for (section, finding), label in results:
        found.setdefault(finding.id, Crossing(section, finding, Counter())).counts[label] += 1
    return sorted(found.values(), key=lambda crossing: -crossing.counts.total())
