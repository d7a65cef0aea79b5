"""Divide records by specification, for one page per operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plumbline.reports.words import newest_first, unversioned
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

MOST = 8000
"""Results on one page, over all its columns: about four megabytes."""


def divided(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records, {} if one page is enough.

    A campaign is never divided: most of its results are counts alone."""
    if any(record.is_campaign for record in records) or sum(len(record.cases) for record in records) <= MOST:
        return {}
    parts = by_specification(records)
    return parts if len(parts) > 1 else {}


def by_specification(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The parts of records by specification, its versions together.

    Only specifications with a result are there; each part holds those records that tried the specification."""
    lines = [lines_by_specification(record) for record in records]
    return {name: [part for record, lines_of in zip(records, lines, strict=True)
                   if (part := _part(record, name, lines_of.get(name, []))).header.specifications]
            for name in sorted({name for lines_of in lines for name in lines_of}, key=newest_first)}


def lines_by_specification(record: Record) -> dict[str, list[CaseLine]]:
    """The results of a record by specification, its versions together."""
    lines_of: dict[str, list[CaseLine]] = {}
    for line in record.cases:
        lines_of.setdefault(unversioned(line.spec), []).append(line)
    return lines_of


def _part(record: Record, name: str, lines: list[CaseLine]) -> Record:
    """Return the part of a record about one specification.

    name:  of the specification, without version.
    lines: its results.

    Notes and other limits of the run as a whole are left out: the page of the whole run shows them."""
    header = record.header
    results = header.selection.results
    chosen = {spec: forms for spec, forms in (results or {}).items() if unversioned(spec) == name}
    tried = sum(len(ids) for forms in chosen.values() for ids in forms.values()) if results else len(lines)
    selection = {"tried": tried, "of": tried, "not_asked": [], "for_other_seeds": [],
                 "results": None if results is None else chosen}
    specifications = {spec: entry for spec, entry in header.specifications.items() if unversioned(spec) == name}
    sizes = {spec: entry for spec, entry in header.sizes.items() if unversioned(spec) == name}
    about = {"specifications": specifications, "selection": header.selection.model_copy(update=selection),
             "model": None, "sizes": sizes}
    counts = dict(Counter(line.verdict for line in lines))
    footer = record.footer and record.footer.model_copy(update={"counts": counts, "gone": [], "notes": []})
    return Record(record.path, header.model_copy(update=about), lines, footer)
