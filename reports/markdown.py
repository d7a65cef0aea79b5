"""Comparison and history as Markdown, fit to be pasted into a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from plumbline.reports.compare import Comparison, Transition, transitions
from plumbline.reports.history import histories
from plumbline.reports.side_by_side import columns, matrix, unlike
from plumbline.reports.wording import count
from plumbline.trial.record import Record

TITLES = ("Was", "Is", "Clauses", "Results", "Cases")
NAMED = 6
"""Cases named in a row."""


def comparison(found: Comparison) -> str:
    """What appeared, what disappeared, what else changed."""
    old, new = found.old.record, found.new.record
    lines = [f"## {text(found.old.label)} → {text(found.new.label)}", "",
             f"{count(found.compared, 'result')} compared: {len(found.appeared)} worse, "
             f"{len(found.disappeared)} better, {len(found.otherwise)} otherwise changed, "
             f"{found.compared - len(found.changes)} the same."]
    if found.differences or found.only_old or found.only_new:
        lines += ["", "Only what both records hold is compared; "
                  f"{count(len(found.only_old), 'result')} in the old one alone, {len(found.only_new)} in the new one.",
                  "", *(f"- {text(why)}" for why in found.differences)]
    for title, changes in (("Appeared", found.appeared), ("Disappeared", found.disappeared),
                           ("Otherwise changed", found.otherwise)):
        lines += ["", f"### {title} ({len(changes)})", ""]
        lines += _table(TITLES, map(_row, transitions(changes))) if changes else ["Nothing."]
    lines += ["", f"Suite {text(old.header['suite']['version'])} and {text(new.header['suite']['version'])}, "
              f"cases {code(old.header['cases']['digest'][:12])} and {code(new.header['cases']['digest'][:12])}, "
              f"records {code(found.old.file)} and {code(found.new.file)}."]
    return "\n".join(lines) + "\n"


def history(records: Sequence[Record]) -> str:
    """When each clause changed, over the versions of each backend."""
    shown = columns(records)
    found = histories(shown, [row for rows in matrix(shown).values() for row in rows])
    lines = [f"## {', '.join(text(column.label) for column in shown)}", ""]
    lines += [f"- {text(problem)}" for problem in unlike(shown)] + [""] * bool(unlike(shown))
    rows = ((code(entry.address), text(entry.title), text(entry.backend), " → ".join(
        f"{span.what} {text(span.where)}" for span in entry.spans)) for entry in found)
    lines += _table(("Clause", "Title", "Backend", "By version"), rows) if found else ["No clause changed."]
    return "\n".join(lines) + "\n"


def code(content: str) -> str:
    """A code span that holds any text, also in a table."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", content)), default=0) + 1)
    space = " " if content.startswith("`") or content.endswith("`") or not content else ""
    return f"{ticks}{space}{' '.join(content.split())}{space}{ticks}".replace("|", "\\|")


def text(content: str) -> str:
    """Any text as text: no markup, no HTML, no mention of anybody."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", " ".join(content.split())).replace("@", "@\N{ZERO WIDTH JOINER}")


def _row(change: Transition) -> tuple[str, ...]:
    more = f" and {len(change.cases) - NAMED} more" if len(change.cases) > NAMED else ""
    where = f"{code(change.specification)} {', '.join(map(code, change.clauses))}".strip()
    return change.was, change.now, where, str(change.results), ", ".join(map(code, change.cases[:NAMED])) + more


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(titles)} |", "|" + " --- |" * len(titles), *(f"| {' | '.join(row)} |" for row in rows)]
