"""The door of `trial/`. The trial itself is a pytest run: `pytest tests/conformance --help`, under "conformance".

    python -m trial promote RECORD ID [FORM]    a line of a record as a YAML case, to paste into a file of cases
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trial.promote import promoted
from trial.record import RecordError, read_record


def main(arguments: list[str] | None = None) -> int:
    """Run the door; the exit status is 2 when the record or the line cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m trial", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    doors = parser.add_subparsers(dest="door", required=True)
    promote = doors.add_parser("promote")
    promote.add_argument("record", type=Path)
    promote.add_argument("id")
    options = parser.parse_args(arguments)
    try:
        print(promoted(read_record(options.record), options.id), end="")
    except (RecordError, LookupError) as error:
        print(error.args[0], file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
