"""Every backend, one page side by side.

    python -m tests.conformance.matrix [--again] [NAME[==VERSION] ...]

Each backend of the clone (or each one named) is set up and tried by a conformance run of its own; the records and the
page go to reports/out/matrix. A backend whose record is complete, and was made with these specifications and cases, is
not tried again unless --again says so: a matrix that was interrupted goes on where it stopped. Exit status: 0 nothing
new, 1 something new or gone, 2 some backend could not be tried.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from backends import BackendError, adapter_names, find_backend
from backends.capabilities import is_asked
from cases import load_cases, made_cases
from oracle import load_spec, spec_names
from oracle.door import leave
from reports import write_html
from tests.conformance.trials import GENERATED
from trial import Record, RecordError, read_record
from trial.header import case_digest
from trial.judge import ACCUSES

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "reports" / "out" / "matrix"


@dataclass(frozen=True)
class Row:
    """What became of one backend. `set_up` and `run` are in seconds."""

    named: str
    version: str
    set_up: float
    run: float
    status: int
    record: Path | None
    note: str = ""

    def __str__(self) -> str:
        results = len(read_record(self.record).cases) if self.record else 0
        said = {0: "nothing new", 1: "something new or gone", 2: "not all of it could be done"}[self.status]
        return (f"{self.named:28} {self.version:12} set up {self.set_up:6.0f} s  run {self.run:6.0f} s  "
                f"{results:5} results  {self.note or said}")


def main(arguments: list[str] | None = None) -> int:
    """Run the door."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.matrix", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME[==VERSION]")
    parser.add_argument("--again", action="store_true", help="try also what has a complete record")
    options = parser.parse_args(arguments)
    rows = []
    for named in options.names or adapter_names():
        rows.append(tried(named, options.again))
        print(rows[-1], flush=True)
    records = [read_record(row.record) for row in rows if row.record]
    if records:
        print(f"report  {write_html(records, FOLDER / 'matrix.html').relative_to(ROOT)}")
    return max((row.status for row in rows), default=2)


def tried(named: str, again: bool) -> Row:
    """One backend, set up and tried; or its record, where that is complete."""
    began = time.monotonic()
    try:
        host = find_backend(named).start()
    except BackendError as error:
        return Row(named, "", time.monotonic() - began, 0, 2, None, f"cannot be set up: {' '.join(str(error).split())}")
    identity = host.identity
    host.close()
    set_up = time.monotonic() - began
    path = FOLDER / f"{identity['name']}-{identity['version']}.jsonl"
    if not again and is_complete(path, identity["specifications"]):
        return Row(named, identity["version"], set_up, 0, status_of(read_record(path)), path, "kept")
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "tests/conformance", "-q", "--tb=no", "--backend", named,
               "--report-dir", str(FOLDER)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    (FOLDER / f"{path.stem}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return Row(named, identity["version"], set_up, time.monotonic() - began, min(done.returncode, 2),
               path if path.exists() else None)


def status_of(record: Record) -> int:
    """The exit status that the run of a complete record had."""
    verdicts = {line["verdict"] for line in record.cases if "known" not in line}
    if "harness-error" in verdicts:
        return 2
    news = verdicts & set(ACCUSES) or record.footer.get("gone")
    return 1 if news and record.header["backend"]["tried"] else 0


def is_complete(path: Path, patterns: list[str]) -> bool:
    """Whether a record ended, and tried the specifications and cases as they are now."""
    try:
        record = read_record(path)
    except RecordError:
        return False
    asked = [load_spec(name) for name in spec_names() if is_asked(patterns, name)]
    names = {spec.name for spec in asked}
    written = load_cases()
    cases = [case for case in written if case.spec in names]
    for spec in asked:
        cases += made_cases(spec.name, written, seed=0, count=GENERATED)
    digests = {spec.name: spec.digest for spec in asked}
    return (not record.truncated and record.header["cases"]["digest"] == case_digest(cases)
            and {name: spec["digest"] for name, spec in record.header["specifications"].items()} == digests)


if __name__ == "__main__":
    leave(main)
