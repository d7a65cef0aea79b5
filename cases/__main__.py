"""The door of `cases/`.

    python -m cases lint [PATH ...]    check files of cases: schema, clauses, expectations against both oracles
    python -m cases schema             write cases/case.schema.json, for editors
    python -m cases list [--spec GLOB] one line for each case
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatch
from pathlib import Path

from cases.lint import duplicates, lint
from cases.loader import read_cases
from cases.schema import SCHEMA_FILE, schema_text


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 0 when nothing is wrong."""
    parser = argparse.ArgumentParser(prog="python -m cases", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    doors.add_parser("lint").add_argument("paths", nargs="*", type=Path)
    doors.add_parser("schema")
    doors.add_parser("list").add_argument("--spec", default="*")
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
    problems = [*map(str, errors), *(line for case in cases for line in lint(case)), *duplicates(cases)]
    for line in problems:
        print(line)
    print(f"{len(cases)} cases, {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
