"""A few lines of Markdown about records, for the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plumbline.reports.words import code, count, text
from plumbline.trial.groups import groups
from plumbline.trial.recording import Record

SHOWN = 20
"""Causes in the table."""


def job_summary(records: Sequence[Record]) -> str:
    """A section for each record."""
    return "\n".join(line for record in records for line in _section(record)) + "\n"


def _section(record: Record) -> Iterator[str]:
    found = groups(record)
    new = [group for group in found if group.known < len(group.lines)]
    yield f"### {text(record.who)}"
    yield ""
    yield (f"{count(len(new), 'new cause')}, {count(len(found) - len(new), 'known cause')}; "
           f"{record.reached:,} of {record.chosen:,} results: "
           + ", ".join(f"{number:,} {verdict}" for verdict, number in record.counts.most_common()) + ".")
    if record.incomplete:
        yield f"**Incomplete**: {text(record.incomplete)}."
    if found:
        yield from ("", "| | verdict | clauses | results | what happened |", "|---|---|---|---|---|")
    for group in found[:SHOWN]:
        clauses = ", ".join(code(clause) for clause in group.clauses)
        yield (f"| {'new' if group in new else 'known'} | {group.verdict} | {text(group.text)} {clauses} | "
               f"{len(group.lines)} | {text(group.lines[0].did[:200])} |")
    if len(found) > SHOWN:
        yield from ("", f"and {count(len(found) - SHOWN, 'more cause')}")
    yield ""
