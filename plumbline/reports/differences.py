"""List the clauses that some records break and others keep, as Markdown.

They show what depends on a configuration or on a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plumbline.reports.clauses import broken_clauses, matrix
from plumbline.reports.columns import columns
from plumbline.reports.comparison_text import table
from plumbline.reports.words import code_span, count, escaped
from plumbline.trial.record.recording import Record


def differences_text(records: Sequence[Record]) -> str:
    """Return a table of the clauses that records break in different numbers.

    There is a row for each such clause, and a column for each record."""
    shown = columns(records)
    rows = [row for part in matrix(shown).values() for row in part]
    broken = broken_clauses(rows, [()] * len(shown))
    found = [entry for entry in broken if len({counts["diverges"] for counts in entry.counts}) > 1]
    every = count(len(broken), "clause")
    if not found:
        return f"{every} broken by some record, each by all of them and in as many results.\n"
    lines = table(["Clause", "Title", *(escaped(column.label) for column in shown)],
                  ((code_span(entry.address), escaped(entry.clause.title), *map(_cell, entry.counts))
                   for entry in found))
    return "\n".join([f"{len(found)} of {every} that some record breaks are not broken in as many results by all.", "",
                      *lines]) + "\n"


def _cell(counts: Counter[str]) -> str:
    """Describe a clause in a column: ``"kept in 3"``, ``"broken in 1 of 4"``."""
    judged = counts["diverges"] + counts["conforms"]
    if counts["diverges"]:
        return f"broken in {counts['diverges']} of {judged}"
    return f"kept in {judged}" if judged else "refused" if counts["refused"] else "not tried"
