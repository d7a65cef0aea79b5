"""A run over many operators: which part of each record is about which of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plumbline.reports.words import by_age, parts
from plumbline.trial.recording import Record

MOST = 8000
"""Results that one page holds, over all its columns: about four megabytes."""


def divided(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records of each text (family and operator, versions together) that some result is about; {} where one page
    holds everything, and for campaigns, which count most results alone."""
    if any(record.is_campaign for record in records) or sum(len(record.cases) for record in records) <= MOST:
        return {}
    names = {parts(line.spec)[0]: None for record in records for line in record.cases}
    found = {name: [part for record in records if (part := _part(record, name)).header.specifications]
             for name in sorted(names, key=by_age)}
    return found if len(found) > 1 else {}


def _part(record: Record, text: str) -> Record:
    """What a record says of one text. What limits the run as a whole is said where all of it is shown."""
    header, cases = record.header, [line for line in record.cases if parts(line.spec)[0] == text]
    results = header.selection.results
    chosen = {name: forms for name, forms in (results or {}).items() if parts(name)[0] == text}
    tried = sum(len(ids) for forms in chosen.values() for ids in forms.values()) if results else len(cases)
    selection = {"tried": tried, "of": tried, "not_asked": [], "results": None if results is None else chosen}
    specifications = {name: one for name, one in header.specifications.items() if parts(name)[0] == text}
    about = {"specifications": specifications, "selection": header.selection.model_copy(update=selection)}
    counts = dict(Counter(line.verdict for line in cases))
    footer = record.footer and record.footer.model_copy(update={"counts": counts, "gone": [], "notes": []})
    return Record(record.path, header.model_copy(update=about), cases, footer)
