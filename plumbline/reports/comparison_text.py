"""Write comparisons of records and histories of clauses as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plumbline.reports.changes import Comparison, Transition, transitions
from plumbline.reports.clauses import broken_clauses, matrix
from plumbline.reports.columns import columns
from plumbline.reports.evidence import mismatches
from plumbline.reports.histories import histories, progress
from plumbline.reports.words import code_span, count, escaped
from plumbline.trial.record.recording import Record

TITLES = ("Was", "Is", "Clauses", "Results", "Cases")
NAMED = 6
"""Cases named in one row."""


def comparison(compared: Comparison) -> str:
    """A comparison as Markdown for a pull request."""
    old, new = compared.old.record, compared.new.record
    lines = [f"## {escaped(compared.old.label)} → {escaped(compared.new.label)}", "",
             f"{count(compared.compared, 'result')} compared: {len(compared.appeared)} worse, "
             f"{len(compared.disappeared)} better, {len(compared.otherwise)} changed otherwise, "
             f"{compared.compared - len(compared.changes)} unchanged."]
    if compared.differences or compared.only_old or compared.only_new:
        lines += ["", "Only results in both records are compared; "
                  f"{count(len(compared.only_old), 'result')} in the old one alone, {len(compared.only_new)} in the "
                  "new one.",
                  "", *(f"- {escaped(why)}" for why in compared.differences)]
    for title, changes in (("Appeared", compared.appeared), ("Disappeared", compared.disappeared),
                           ("Otherwise changed", compared.otherwise)):
        lines += ["", f"### {title} ({len(changes)})", ""]
        lines += table(TITLES, map(_row, transitions(changes))) if changes else ["Nothing."]
    lines += ["", f"Suite {escaped(old.header.suite['version'])} and {escaped(new.header.suite['version'])}, "
              f"cases {code_span(old.header.cases.digest[:12])} and {code_span(new.header.cases.digest[:12])}, "
              f"records {code_span(compared.old.file)} and {code_span(compared.new.file)}."]
    return "\n".join(lines) + "\n"


def history(records: Sequence[Record]) -> str:
    """The changes of each clause over versions, as Markdown."""
    shown = columns(records)
    rows = [row for part in matrix(shown).values() for row in part]
    entries = histories(shown, rows)
    lines = [f"## {', '.join(escaped(column.label) for column in shown)}", ""]
    problems = [*mismatches(shown), *(f"{column.label} is incomplete: {column.record.incomplete}" for column in shown
                                  if not column.record.whole)]
    lines += [f"- {escaped(problem)}" for problem in problems] + [""] * bool(problems)
    for changed, worse in progress(shown, broken_clauses(rows, [()] * len(shown))):
        lines += [" ".join(filter(None, [escaped(changed), escaped(worse)])), ""]
    changes = ((code_span(entry.address), escaped(entry.title), escaped(entry.backend), " → ".join(
        f"{span.what} {escaped(span.where)}" for span in entry.spans)) for entry in entries)
    lines += table(("Clause", "Title", "Backend", "By version"), changes) if entries else ["No clause changed."]
    return "\n".join(lines) + "\n"


def _row(change: Transition) -> tuple[str, ...]:
    more = f" and {len(change.cases) - NAMED} more" if len(change.cases) > NAMED else ""
    where = f"{code_span(change.specification)} {', '.join(map(code_span, change.clauses))}".strip()
    return change.was, change.now, where, str(change.results), ", ".join(map(code_span, change.cases[:NAMED])) + more


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    return [f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles), *(f"| {' | '.join(row)} |" for row in rows)]
