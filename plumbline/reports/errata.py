"""Collect errata: contradictions within a source, with computed evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from plumbline.reports.columns import Column
from plumbline.reports.pictures import Picture, printed_pictures
from plumbline.reports.words import newest_first
from plumbline.trial.record.header import Clause, ClauseKey, Printed


@dataclass
class Erratum:
    """A contradiction within a source, over all versions.

    computed: the evidence from the run; printed: outputs as the source prints them, with pictures.
    """

    clause: Clause
    computed: str
    addresses: list[str] = field(default_factory=list)
    printed: list[tuple[Printed, list[Picture]]] = field(default_factory=list)


def errata(shown: Sequence[Column]) -> list[Erratum]:
    """Return every erratum, versions of a specification together."""
    entries: dict[ClauseKey, Erratum] = {}
    headers = [column.record.header for column in shown]
    printed = {(case.spec, case.case): case for header in headers for case in header.as_printed}
    clauses = {address: (clause, header.errata.get(address, "")) for header in headers
               for specification in header.specifications.values() for address, clause in specification.clauses.items()
               if clause.kind == "erratum"}
    for address in sorted(clauses, key=newest_first):
        clause, computed = clauses[address]
        entry = entries.setdefault(clause.key, Erratum(clause, computed))
        entry.addresses.append(address)
        entry.printed += [(case, printed_pictures(case)) for case in printed.values() if case.erratum == address]
    return list(entries.values())
