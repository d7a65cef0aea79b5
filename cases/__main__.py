"""The door of `cases/`.

    python -m cases lint [PATH ...]    check files of cases: schema, clauses, expectations against both oracles
    python -m cases schema             write cases/case.schema.json, for editors
    python -m cases list [--spec GLOB] one line for each case
    python -m cases export --format onnx-backend-test DIR [--spec GLOB]
                                       models and data as ONNX's own backend test runner reads them
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

from cases.export import ExportError, export
from cases.lint import duplicates, lint
from cases.loader import read_cases
from cases.model import Case
from cases.schema import SCHEMA_FILE, schema_text


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 0 when nothing is wrong, 2 when nothing could be exported."""
    parser = argparse.ArgumentParser(prog="python -m cases", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    doors.add_parser("lint").add_argument("paths", nargs="*", type=Path)
    doors.add_parser("schema")
    doors.add_parser("list").add_argument("--spec", default="*")
    export_door = doors.add_parser("export")
    export_door.add_argument("--format", choices=["onnx-backend-test"], required=True)
    export_door.add_argument("folder", type=Path, metavar="DIR")
    export_door.add_argument("--spec", default="*", metavar="GLOB")
    options = parser.parse_args(arguments)
    if options.door == "schema":
        SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
        print(f"wrote {SCHEMA_FILE.name}")
        return 0
    cases, errors = read_cases(getattr(options, "paths", None) or None)
    if options.door == "list":
        for case in (case for case in cases if fnmatch(case.spec, options.spec)):
            print(f"{case.spec}  {case.id}  {case.title}")
        return 0
    if options.door == "export":
        return _export([case for case in cases if fnmatch(case.spec, options.spec)], options.folder)
    problems = [*map(str, errors), *(line for case in cases for line in lint(case)), *duplicates(cases)]
    for line in problems:
        print(line)
    print(f"{len(cases)} cases, {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    return 1 if problems else 0


def _export(cases: list[Case], folder: Path) -> int:
    try:
        print(f"{folder}: {export(cases, folder).summary()}")
    except ExportError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
