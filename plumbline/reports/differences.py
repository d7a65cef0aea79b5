"""List the clauses that some records break and others keep, as Markdown.

They show what depends on a configuration or on a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from plumbline.reports.clauses import ClauseSummary, broken_clauses, matrix
from plumbline.reports.columns import Column, columns
from plumbline.reports.comparison_text import table
from plumbline.reports.words import code_span, count, escaped
from plumbline.trial.record.recording import Record


def joined(records: Sequence[Record]) -> list[Record]:
    """Join records of one backend and version that are about different specifications: parts of one run.

    Records that share a specification stay columns of their own."""
    parts: dict[str, list[Record]] = {}
    for record in records:
        parts.setdefault(record.who, []).append(record)
    return [each for group in parts.values() for each in ([_whole(group)] if _is_disjoint(group) else group)]


def _is_disjoint(group: Sequence[Record]) -> bool:
    names = [name for record in group for name in record.header.specifications]
    return len(names) == len(set(names))


def _whole(group: Sequence[Record]) -> Record:
    specifications = {name: entry for record in group for name, entry in record.header.specifications.items()}
    return replace(group[0], header=group[0].header.model_copy(update={"specifications": specifications}),
                   cases=[line for record in group for line in record.cases])


def differences_text(records: Sequence[Record]) -> str:
    """Return a table of the clauses that records break in different numbers.

    There is a row for each such clause, and a column for each record."""
    shown, differing, said = _differing(records)
    rows = ((code_span(entry.address), escaped(entry.clause.title), *map(_cell, entry.counts)) for entry in differing)
    return "\n".join([said, *_table(["Clause", "Title"], shown, rows)]) + "\n"


def operators_text(records: Sequence[Record]) -> str:
    """Return a table of the specifications with such clauses: how many of these each record breaks."""
    shown, differing, said = _differing(records)
    rows = []
    for name, group in groupby(differing, lambda entry: entry.address.partition("#")[0].partition("@")[0]):
        cells = zip(*(entry.counts for entry in group), strict=True)
        rows.append((code_span(name), *map(_clauses_broken, cells)))
    return "\n".join([f"{said} By specification, how many of these each breaks; – where no call was answered.",
                      *_table(["Specification"], shown, rows)]) + "\n"


def _differing(records: Sequence[Record]) -> tuple[list[Column], list[ClauseSummary], str]:
    """Return the columns, the clauses that they break in different numbers, and how many these are."""
    shown = columns(records)
    rows = [row for part in matrix(shown).values() for row in part]
    broken = broken_clauses(rows, [()] * len(shown))
    differing = [entry for entry in broken if len({counts["diverges"] for counts in entry.counts}) > 1]
    every = count(len(broken), "clause")
    return shown, differing, (
        f"{len(differing)} of {every} that some record breaks are not broken in as many results by all."
        if differing else f"{every} broken by some record, each by all of them and in as many results.")


def _table(heads: list[str], shown: Sequence[Column], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table after an empty one, nothing without rows."""
    listed = list(rows)
    return ["", *table([*heads, *(escaped(column.label) for column in shown)], listed)] if listed else []


def _clauses_broken(cells: Sequence[Counter[str]]) -> str:
    """Count the clauses of a specification that a column breaks."""
    judged = any(counts["diverges"] + counts["conforms"] for counts in cells)
    return str(sum(counts["diverges"] > 0 for counts in cells)) if judged else "–"


def _cell(counts: Counter[str]) -> str:
    """Describe a clause in a column: ``"kept in 3"``, ``"broken in 1 of 4"``."""
    judged = counts["diverges"] + counts["conforms"]
    if counts["diverges"]:
        return f"broken in {counts['diverges']} of {judged}"
    return f"kept in {judged}" if judged else "refused" if counts["refused"] else "not tried"
