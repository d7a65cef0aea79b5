"""Reproduce each root cause of records without the suite: a script of its smallest call, in the runtime's own language.

    python -m tests.reproducers RECORD ... [--folder DIR]

A script holds the model, the inputs and what the record says. It runs JavaScript in Node or in a page for packages of
npm, and Python for the others, in an environment with the runtime, numpy and onnx alone. DIR keeps the scripts.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from plumbline.backends import find_backend
from plumbline.backends.environments import environment, node_environment
from plumbline.reports.reproduce import folder_name, script
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record, read_record

SECONDS = 240
"""For one script."""

CALLS = 3
"""Most calls of a root cause that are tried: a rare one needs what ran before it."""


def surroundings(record: Record) -> tuple[Path, Path]:
    """The interpreter of Python for scripts, and the folder where they run."""
    backend = find_backend(record.header.backend.name)
    if backend.program:
        return Path(sys.executable), node_environment(backend.adapter, backend.requirements)[1]
    if not backend.requirements:
        return Path(sys.executable), Path.cwd()
    return environment(f"{backend.adapter}-alone", (*backend.requirements, "onnx")).absolute(), Path.cwd()


def scripts(record: Record, group: Group) -> Iterator[tuple[CaseLine, str]]:
    """The smallest calls of a root cause that the record holds whole, with their scripts."""
    pairs = ((line, script(record, line)) for line in group.lines)
    return islice((each for each in pairs if each[1]), CALLS)


def reproduced(record: Record, group: Group, folder: Path) -> tuple[bool, str]:
    """Whether a script of a root cause shows it, and what was run."""
    python, place = surroundings(record)
    said = "no call is held whole, with a script"
    for line, text in scripts(record, group):
        path = folder.absolute() / f"{record.header.backend.name}-{folder_name(line)}.py"
        path.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run([python, path], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess([], -1, "", f"no end in {SECONDS} s")
        said = f"{line.spec} {line.id} [{line.form}]"
        own = re.search(r"\w+Error: " if group.verdict == "diverges" else "SyntaxError: ", done.stderr)  # of the script
        if done.returncode == 1 and not own:
            return True, said
        said += f": status {done.returncode} {' '.join(done.stderr.split())[-200:]}"
    return False, said


def main() -> int:
    """Print each root cause, and for each record how many were reproduced; 1 if one was not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, help="for the scripts")
    arguments = parser.parse_args()
    missing = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for record in map(read_record, arguments.records):
            causes, shown = groups(record), 0
            for group in causes:
                shows, said = reproduced(record, group, folder)
                shown += shows
                about = ", ".join(filter(None, [group.text, group.symptom or " ".join(group.clauses[:3])]))
                print(f"  {'reproduced' if shows else 'NOT       '} {group.verdict} {about[:80]}: {said}", flush=True)
            print(f"{record.who}: {shown} of {len(causes)} root causes reproduced", flush=True)
            missing += len(causes) - shown
    return int(missing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
