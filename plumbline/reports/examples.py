"""Choose the smallest calls that show a finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plumbline.reports.columns import Column
from plumbline.reports.findings import Finding
from plumbline.reports.instances import Instance
from plumbline.reports.words import in_sentence, merge_labels
from plumbline.trial.known.root_causes import size_of

EXAMPLES = 2
"""Examples of a finding, at most."""



@dataclass(frozen=True)
class Example:
    """A call with its failures.

    failures: labels of the columns that fail alike, and how they fail;
    recent:   True if the call is judged under the newest version that the finding is about.
    """

    instance: Instance
    failures: tuple[tuple[tuple[str, ...], str], ...]
    recent: bool = True

    @property
    def labels(self) -> set[str]:
        """The labels of all columns that fail."""
        return {label for labels, _ in self.failures for label in labels}


def examples(causes: Iterable[Finding], shown: Sequence[Column]) -> dict[str, list[Example]]:
    """The smallest calls that show each finding, by its id."""
    return {finding.id: _chosen([_example(instance, finding) for instance in (*finding.instances, *finding.left_out)],
                                shown) for finding in causes}


class SmallestCall(NamedTuple):
    """The smallest call that accuses a column."""

    finding: Finding
    instance: Instance
    why: str


def smallest_calls(causes: Iterable[Finding]) -> dict[str, SmallestCall]:
    """The smallest accusing call of each column, by label."""
    smallest: dict[str, SmallestCall] = {}
    for finding in causes:
        for instance in (*finding.instances, *finding.left_out):
            for labels, why in _example(instance, finding).failures:
                for label in labels:
                    if label not in smallest or size_of(instance.line) < size_of(smallest[label].instance.line):
                        smallest[label] = SmallestCall(finding, instance, why)
    return smallest


def label_columns(labels: Collection[str], shown: Sequence[Column]) -> str:
    """Some columns in a phrase, "" for a single column. Only versions are named if all columns are of one backend."""
    if len(shown) == 1:
        return ""
    if len(labels) == len(shown) > EXAMPLES:
        return "all"
    if len({column.name for column in shown}) == 1:
        return in_sentence(column.short for column in shown if column.label in labels)
    return "; ".join(merge_labels(column.label for column in shown if column.label in labels))


def _example(instance: Instance, finding: Finding) -> Example:
    """The failures of an instance that belong to the finding."""
    labels_of: dict[str, tuple[str, ...]] = {}
    for answer in instance.accused:
        labels = tuple(label for label in answer.labels if label in finding.accused)
        if answer.line.verdict == finding.verdict and labels:
            broken = instance.divergences(answer)
            why = broken[0].why if broken else answer.line.did
            labels_of[why] = (*labels_of.get(why, ()), *labels)
    newest = finding.clauses[0].partition("#")[0] if finding.clauses else ""
    return Example(instance, tuple((labels, why) for why, labels in labels_of.items()),
                   not newest or newest in dict(instance.keys))


def _chosen(candidates: Iterable[Example], shown: Sequence[Column]) -> list[Example]:
    """The fewest and smallest examples that cover all failing columns.

    Preferred is a call on which all of them fail, then one on which the newest version of a backend fails, then one
    under the newest specification, then the smallest."""
    failing = [example for example in candidates if example.failures]
    left = {column.label for column in shown if any(column.label in example.labels for example in failing)}
    newest = set({column.name: column.label for column in shown if column.label in left}.values())
    chosen: list[Example] = []
    while left and len(chosen) < EXAMPLES:
        chosen.append(min((example for example in failing if example.labels & left), key=lambda example: (
            not example.labels >= left, not example.labels & left & newest, not example.recent,
            size_of(example.instance.line))))
        left -= chosen[-1].labels
    return chosen
