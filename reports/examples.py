"""The smallest calls that show a broken clause or a fault, and who fails on them: for the first table of a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from plumbline.reports.glance import Broken
from plumbline.reports.instances import Instance
from plumbline.reports.sections import Section
from plumbline.reports.side_by_side import Column
from plumbline.reports.wording import listed as in_words
from plumbline.reports.wording import together
from plumbline.trial.groups import size_of

MOST = 2
"""Examples of one clause, at most."""


@dataclass(frozen=True)
class Example:
    """A call and what is wrong on it. `said` holds (who, in what way), the labels of those that fail alike together;
    `recent` says whether it is one of the newest version of the text that is in question."""

    instance: Instance
    said: tuple[tuple[tuple[str, ...], str], ...]
    recent: bool = True

    @property
    def who(self) -> set[str]:
        """The labels of all that fail on it."""
        return {label for labels, _ in self.said for label in labels}


def examples(listed: Iterable[Section], broken: Iterable[Broken], shown: Sequence[Column]) -> dict[str, list[Example]]:
    """For each broken clause, by its first address, the smallest calls that break it."""
    every = _every(listed)
    return {entry.addresses[0]: _chosen([_breaking(instance, entry.addresses) for instance in every], shown)
            for entry in broken}


def failures(listed: Iterable[Section], shown: Sequence[Column]) -> dict[str, list[Example]]:
    """For each verdict that accuses without a clause the smallest calls, and what was done."""
    every = _every(listed)
    verdicts = {answer.line["verdict"] for instance in every for answer in instance.accused} - {"diverges"}
    return {verdict: _chosen([_failing(instance, verdict) for instance in every], shown) for verdict in verdicts}


def where(labels: Collection[str], shown: Sequence[Column]) -> str:
    """Some columns in a sentence: their versions alone where all are of one backend, "" where there is one column."""
    if len(shown) == 1:
        return ""
    if len(labels) == len(shown) > MOST:
        return "all"
    if len({column.name for column in shown}) == 1:
        return in_words(column.short for column in shown if column.label in labels)
    return "; ".join(together(column.label for column in shown if column.label in labels))


def _every(listed: Iterable[Section]) -> list[Instance]:
    """Each instance once."""
    return list({id(instance): instance for section in listed for finding in section.findings
                 for instance in finding.every}.values())


def _breaking(instance: Instance, addresses: Sequence[str]) -> Example:
    """Who breaks a clause on an instance, in one of its versions, and how; nobody perhaps."""
    said: dict[str, tuple[str, ...]] = {}
    wanted = {address.partition("#")[2] for address in addresses if address.partition("#")[0] in dict(instance.keys)}
    for answer in instance.accused:
        for entry in instance.divergences(answer):
            if entry["clause"].partition("#")[2] in wanted:
                said[entry["why"]] = (*said.get(entry["why"], ()), *answer.labels)
    recent = addresses[0].partition("#")[0] in dict(instance.keys)
    return Example(instance, tuple((labels, why) for why, labels in said.items()), recent)


def _failing(instance: Instance, verdict: str) -> Example:
    """Who came to a verdict on an instance, and what was done."""
    return Example(instance, tuple((tuple(answer.labels), answer.line["did"]) for answer in instance.accused
                                   if answer.line["verdict"] == verdict))


def _chosen(candidates: Iterable[Example], shown: Sequence[Column]) -> list[Example]:
    """A call on which all fail that fail anywhere; where there is none, one on which the newest version of a backend
    fails, and one for those that are left. Of several one under the newest text, then the smallest."""
    able = [example for example in candidates if example.said]
    left = {column.label for column in shown if any(column.label in example.who for example in able)}
    newest = set({column.name: column.label for column in shown if column.label in left}.values())
    chosen: list[Example] = []
    while left and len(chosen) < MOST:
        chosen.append(min((example for example in able if example.who & left), key=lambda example: (
            not example.who >= left, not example.who & left & newest, not example.recent,
            size_of(example.instance.line))))
        left -= chosen[-1].who
    return chosen
