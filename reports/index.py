"""Where on a page something is shown: the findings of a clause, and results that accuse somebody."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.reports.sections import Result, Section


def section_ids(listed: Iterable[Section]) -> dict[str, str]:
    """For each broken clause its section, which has its findings or says where they are."""
    return {address: section.id for section in listed for address in section.addresses}


def places(listed: Iterable[Section]) -> dict[Result, str]:
    """For each result that accuses somebody the id of the place that shows it, or else of its finding."""
    found: dict[Result, str] = {}
    for finding in (finding for section in listed for finding in section.findings):
        for instance in [*finding.instances, *finding.left_out]:
            for key, name in zip(instance.keys, instance.anchors, strict=True):
                found[(*key, instance.form)] = name if instance in finding.instances else finding.id
    return found
