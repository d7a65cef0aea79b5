"""A record in a few lines of text, for a terminal."""

from __future__ import annotations

import textwrap

from reports.findings import accusations, by_clause
from trial.judge import VERDICTS
from trial.record import Record

WIDTH = 100
NAMED = 3
"""Cases named for each clause."""


def summary_lines(record: Record) -> list[str]:
    """Counts by verdict, each broken clause with its statement, what is news."""
    lines = []
    if record.truncated:
        lines += ["the run did not end: this record is truncated", ""]
    for verdict, meaning in VERDICTS.items():
        if record.counts[verdict]:
            lines.append(f"{record.counts[verdict]:6}  {verdict:16} {meaning}")
    for address, statement, found in by_clause(record):
        known = sum("known" in line for line in found)
        lines += ["", f"{address}  broken {len(found)} times, {known} known",
                  *textwrap.wrap(statement, WIDTH, initial_indent="    ", subsequent_indent="    ")]
        names = list(dict.fromkeys(line["id"] for line in found))
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        lines.append(f"    cases: {', '.join(names[:NAMED])}{more}")
    others = [line for line in accusations(record) if line["verdict"] != "diverges"]
    for line in others:
        known = f"known: {line['known']['id']}" if "known" in line else "new"
        lines += ["", f"{line['spec']} {line['id']} [{line['form']}]  {line['verdict']}  ({known})",
                  *textwrap.wrap(line["did"], WIDTH, initial_indent="    ", subsequent_indent="    ", max_lines=3)]
    new = [line for line in accusations(record) if "known" not in line]
    gone = (record.footer or {}).get("gone", [])
    tried = record.header["backend"].get("tried", True)
    lines += ["", f"{len(new)} new, {len(accusations(record)) - len(new)} known, {len(gone)} known and gone"
              + ("" if tried else "; nobody has tried this version yet, so these are news and fail no run")]
    return lines + gone
