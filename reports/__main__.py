"""The door of `reports/`. Everything is made from records (`reports/out/*.jsonl`).

    python -m reports html RECORD ... [--output FILE]   one page; beside the first record by default
    python -m reports csv RECORD ... [--out DIR]        clauses.csv, cases.csv and traceability.csv
    python -m reports summary RECORD ... [-v]           what a conformance run prints at its end
    python -m reports explain ADDRESS RECORD ...        a clause, its cases, and what each backend did
    python -m reports compare OLD NEW [--intersection]  what appeared and disappeared, as Markdown
    python -m reports history RECORD ...                when each clause changed, as Markdown
    python -m reports badge RECORD [--spec GLOB] [--out DIR]   an endpoint for shields.io

The exit status is 2 when something cannot be done, and one line says why. `compare` ends with 1 when something got
worse, and refuses records that did not try the same; with --intersection it compares what both hold.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

from plumbline.oracle.door import leave
from plumbline.reports.changes import NotComparable, compare
from plumbline.reports.page import write_html
from plumbline.reports.tables import write_badge, write_tables
from plumbline.reports.text import comparison, explain, history, summary_lines
from plumbline.trial.recording import RecordError, read_records

OUT = Path("reports/out")


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when a record, an address or a folder cannot be used."""
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return DOORS[options.door](options)
    except (LookupError, NotComparable, RecordError) as error:
        print(error.args[0], file=sys.stderr)
    except BrokenPipeError:
        raise  # nobody reads on: see leave
    except RecursionError:
        print("a record holds something that is nested too deeply to be shown", file=sys.stderr)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    options = {name: doors.add_parser(name) for name in DOORS}
    options["explain"].add_argument("address")
    for name in ("html", "csv", "summary", "explain", "history"):
        options[name].add_argument("records", nargs="+", type=Path, metavar="RECORD")
    options["summary"].add_argument("-v", "--verbose", action="store_true", help="with every broken clause")
    options["html"].add_argument("--output", type=Path, metavar="FILE")
    options["csv"].add_argument("--out", type=Path, default=OUT, metavar="DIR")
    options["compare"].add_argument("records", nargs=1, type=Path, metavar="OLD")
    options["compare"].add_argument("new", type=Path, metavar="NEW")
    options["compare"].add_argument("--intersection", action="store_true", help="compare what both records hold")
    options["badge"].add_argument("records", nargs=1, type=Path, metavar="RECORD")
    options["badge"].add_argument("--spec", default="*", metavar="GLOB", help="specifications, such as 'sonnx/*'")
    options["badge"].add_argument("--out", type=Path, default=OUT, metavar="DIR")
    return parser


def _html(options: argparse.Namespace) -> int:
    records = read_records(options.records)
    output = options.output or options.records[0].with_suffix(".html")
    if output.resolve() in {path.resolve() for path in options.records}:
        raise RecordError(f"{output}: is a record; a page needs a file of its own")
    print(write_html(records, output))
    return 0


def _csv(options: argparse.Namespace) -> int:
    print("\n".join(map(str, write_tables(read_records(options.records), options.out))))
    return 0


def _summary(options: argparse.Namespace) -> int:
    for record in read_records(options.records):
        print("\n".join([record.who, *summary_lines(record, options.verbose), ""]))
    return 0


def _explain(options: argparse.Namespace) -> int:
    print("\n".join(explain(options.address, read_records(options.records))))
    return 0


def _compare(options: argparse.Namespace) -> int:
    old, new = read_records([*options.records, options.new])
    found = compare(old, new, options.intersection)
    print(comparison(found), end="")
    return 1 if found.appeared else 0


def _history(options: argparse.Namespace) -> int:
    print(history(read_records(options.records)), end="")
    return 0


def _badge(options: argparse.Namespace) -> int:
    record, = read_records(options.records)
    print("\n".join(map(str, write_badge(record, options.out, options.spec))))
    return 0


DOORS = {"html": _html, "csv": _csv, "summary": _summary, "explain": _explain, "compare": _compare,
         "history": _history, "badge": _badge}

if __name__ == "__main__":
    leave(main)
