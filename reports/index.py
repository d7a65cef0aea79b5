"""Where on a page something is shown: the findings of a clause, results that accuse somebody, smallest examples."""

from __future__ import annotations

from collections.abc import Iterable

from reports.addresses import parts
from reports.instances import Instance
from reports.sections import Result, Section
from trial.groups import size_of


def section_ids(listed: Iterable[Section]) -> dict[str, str]:
    """For each broken clause where its findings are: in its own section, or in the first that has one of it."""
    found = {address: section.id for section in listed for address in section.addresses}
    for section in listed:
        for finding in section.findings:
            found.update({address: section.id for address in finding.clauses if address not in found})
    return found


def places(listed: Iterable[Section]) -> dict[Result, str]:
    """For each result that accuses somebody the id of the place that shows it, or else of its finding."""
    found: dict[Result, str] = {}
    for finding in (finding for section in listed for finding in section.findings):
        for instance in [*finding.instances, *finding.left_out]:
            for key, name in zip(instance.keys, instance.anchors, strict=True):
                found[(*key, instance.form)] = name if instance in finding.instances else finding.id
    return found


def examples(listed: Iterable[Section]) -> dict[str, tuple[Instance, str]]:
    """For each broken clause the smallest instance that breaks it, and in what way."""
    found: dict[str, tuple[Instance, str]] = {}
    for instance in _by_size(listed):
        for answer in instance.accused:
            for entry in instance.divergences(answer):
                for specification, _ in instance.keys:
                    found.setdefault(f"{specification}#{parts(entry['clause'])[2]}", (instance, entry["why"]))
    return found


def _by_size(listed: Iterable[Section]) -> list[Instance]:
    every = {id(instance): instance for section in listed for finding in section.findings for instance in finding.every}
    return sorted(every.values(), key=lambda instance: size_of(instance.line))


def failures(listed: Iterable[Section]) -> dict[str, tuple[Instance, str]]:
    """For each verdict that accuses without a clause the smallest instance, and what was done."""
    found: dict[str, tuple[Instance, str]] = {}
    for instance in _by_size(listed):
        for answer in instance.accused:
            if answer.line["verdict"] != "diverges":
                found.setdefault(answer.line["verdict"], (instance, answer.line["did"]))
    return found
