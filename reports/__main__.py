"""The door of `reports/`. Everything is made from records (`reports/out/*.jsonl`).

    python -m reports html RECORD ... [--output FILE]   one page; beside the first record by default
    python -m reports summary RECORD ...                what a conformance run prints at its end
    python -m reports explain ADDRESS RECORD ...        a clause, its cases, and what each backend did
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from reports.html import write_html
from reports.summary import summary_lines
from trial.record import Record, RecordError, read_record


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when a record or an address cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    html = doors.add_parser("html")
    html.add_argument("records", nargs="+", type=Path)
    html.add_argument("--output", type=Path)
    doors.add_parser("summary").add_argument("records", nargs="+", type=Path)
    explain = doors.add_parser("explain")
    explain.add_argument("address")
    explain.add_argument("records", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    try:
        records = [read_record(path) for path in options.records]
        lines = {"html": lambda: [str(write_html(records, options.output or records[0].path.with_suffix(".html")))],
                 "summary": lambda: [line for record in records for line in [_who(record), *summary_lines(record), ""]],
                 "explain": lambda: list(_explain(options.address, records))}[options.door]()
    except (RecordError, KeyError) as error:
        print(error.args[0], file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


def _who(record: Record) -> str:
    return f"{record.header['backend']['name']} {record.header['backend']['version']}"


def _explain(address: str, records: list[Record]) -> Iterator[str]:
    specification = address.partition("#")[0]
    for number, record in enumerate(records):
        clauses = record.header["specifications"].get(specification, {"clauses": {}})["clauses"]
        if address not in clauses:
            raise KeyError(f"{record.path}: no clause {address!r} in this record")
        clause = clauses[address]
        if number == 0:
            yield from (f"{address}  {clause['title']} ({clause['kind']})", f"  {clause['statement']}",
                        f"  source: {clause['source']}")
        yield from ("", _who(record))
        target = clause["restates"] or address
        for line in record.cases:
            if line["spec"] == specification and (target in line["covers"] or target in line["clauses"]):
                wrong = [entry["why"] for entry in line.get("divergences", []) if entry["clause"] == target]
                held = " (other clauses)" if line["verdict"] == "diverges" and not wrong else ""
                yield "  ".join([f"  {line['verdict'] + held:16}", f"{line['id']} [{line['form']}]", *wrong])


if __name__ == "__main__":
    sys.exit(main())
