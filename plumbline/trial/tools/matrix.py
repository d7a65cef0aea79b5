"""Conformance runs of every backend, in parallel.

A backend with a valid record (`trial.run.record_validity`) is not run again. Runs end with this process.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from plumbline.backends import BackendError, adapter_names, find_backend, is_asked
from plumbline.backends.declarations import declared_by
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.oracle.accuracy import chosen_profile
from plumbline.oracle.files import write_file
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import matches, there_are
from plumbline.processes.copies import processors
from plumbline.processes.supervision import supervised
from plumbline.processes.supervisor import VARIABLE
from plumbline.trial.known.register import KnownError
from plumbline.trial.record.recording import read_record
from plumbline.trial.run.paths import record_name
from plumbline.trial.run.record_validity import is_kept, puts_of, status_of

WHY = re.compile(r"(?:^not tried|plumbline): (.*?) *!*$", re.M)
"""The message of a conformance run on what could not be done."""


SAMPLE, EACH = 6, 3
"""Specifications in a sample, and of those that one backend can be asked about."""


@dataclass(frozen=True)
class Row:
    """The state of one backend.

    path:   its record, present or future; None where there will be none.
    set_up: seconds of setting it up.
    run:    seconds of its run.
    status: exit status, None before the run.
    """

    named: str
    version: str = ""
    path: Path | None = None
    set_up: float = 0.0
    run: float = 0.0
    status: int | None = None
    note: str = ""

    def __str__(self) -> str:
        record = read_record(self.path) if self.path and self.path.is_file() else None
        results = f"{record.reached:5}" + ("" if record.whole else f" of {record.chosen}") if record else "    0"
        summary = {0: "nothing new", 1: "something new or gone", 2: "not all of it could be done"}[self.status or 0]
        return safe(f"{self.named:28} {self.version:14} run    {self.run:5.0f} s  {results} results  "
                    f"{'; '.join(filter(None, [self.note, summary]))}")


@dataclass(eq=False)
class Runs:
    """Conformance runs in processes of their own, each with `workers` workers.

    Their output is written beside the record, to NAME.log."""

    specs: Sequence[str]
    folder: Path
    workers: int = 1
    _processes: list[subprocess.Popen[str]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        supervised()  # starts the supervisor, before there are threads

    def run(self, row: Row, path: Path) -> Row:
        """Run a backend that is set up, with its record at `path`."""
        began = time.monotonic()
        path.unlink(missing_ok=True)  # an earlier run that still writes loses its file
        command = [sys.executable, "-m", "plumbline", "conformance", "--tb=no", "--backend", row.named,
                   *(f"--spec={glob}" for glob in self.specs), "--report-dir", str(self.folder),
                   "--workers", str(self.workers)]
        supervision, mark = supervised()  # a matrix that is killed ends no run by itself
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env={**os.environ, VARIABLE: mark})
        supervision.tell(f"+{process.pid}")
        self._processes.append(process)
        text, _ = process.communicate()
        supervision.tell(f"-{process.pid}")
        write_file(path.with_suffix(".log"), text)
        why = WHY.search(text)
        return replace(row, run=time.monotonic() - began, note=why[1] if why else "",
                       status=process.returncode if process.returncode in (0, 1) else 2)

    def end(self) -> None:
        """End all runs."""
        for process in self._processes:
            process.terminate()


def _ended(*_: object) -> None:
    """End the matrix, and with it the runs."""
    raise click.exceptions.Exit(2)


def try_everything(names: Sequence[str], globs: Sequence[str], folder: Path, again: bool, workers: int) -> list[Row]:
    """Run the named backends, by default all but those in a browser; print progress.

    globs:   patterns of specifications.
    folder:  of the records.
    again:   run backends with a valid record too.
    workers: number of runs at once.

    Raises SpecError if a pattern names no specification, OSError for a folder that cannot be used."""
    for glob in globs:
        if not any(matches(name, glob) for name in spec_names()):
            raise SpecError(f"--spec {glob!r} matches no specification; {there_are(glob)}")
    specs = [name for name in spec_names() if any(matches(name, glob) for glob in globs)]
    folder.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, _ended)
    chosen = _chosen(names)
    for named in chosen:
        if wanted := downloads(named):
            print(safe(f"{named:28} to be downloaded: {wanted}"), flush=True)
    began = time.monotonic()
    rows: list[Row] = []
    for named in chosen:
        row = set_up(named, specs, globs, folder, again)
        twins = [earlier.named for earlier in rows if earlier.path and earlier.path == row.path]
        rows.append(replace(row, path=None, status=2, note=f"is the same as {twins[0]}") if twins else row)
        line = f"{named:28} {row.version:14} set up {row.set_up:5.0f} s  {rows[-1].note}"
        print(safe(line.rstrip()), flush=True)
    print(f"set up in {time.monotonic() - began:.0f} s", flush=True)
    began = time.monotonic()
    done = [row for row in rows if row.status is not None]
    left = [row for row in rows if row.status is None]
    runs = Runs(globs, folder, max(processors() // max(min(workers, len(left)), 1), 1))
    done += try_all(left, runs, workers)
    print(f"tried in {time.monotonic() - began:.0f} s, at most {workers} at once")
    return done


def drawn(names: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return a sample of the newest versions of specifications.

    It holds at least `EACH` of those that each named backend can be asked about, as far as there are so many."""
    order = [name for name in spec_names() if load_spec(name).is_newest]
    random.Random(seed).shuffle(order)
    asked: list[list[str]] = []
    for named in _chosen(names):
        with suppress(BackendError):  # which is reported when it is set up
            patterns = find_backend(named).described().specifications or ()
            asked.append([name for name in order if is_asked(patterns, name)])
    sample: list[str] = []
    for specifications in sorted(asked, key=len):
        missing = EACH - sum(name in specifications for name in sample)
        sample += [name for name in specifications if name not in sample][:max(missing, 0)]
    sample += [name for name in order if name not in sample][:max(SAMPLE - len(sample), 0)]
    return tuple(sorted(sample))


def _chosen(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names or [name for name in adapter_names() if not declared_by(name).in_browser]))


def downloads(named: str) -> str:
    """Return what setting up a backend downloads, "" if nothing or unknown."""
    with suppress(BackendError):
        return find_backend(named).download
    return ""


def set_up(named: str, specs: Sequence[str], globs: Sequence[str], folder: Path, again: bool) -> Row:
    """Set up a backend, and look for its valid record."""
    began = time.monotonic()
    try:
        backend = find_backend(named)
        host = backend.start()
        identity = host.identity
        host.close()
        asked = [name for name in specs if is_asked(identity.specifications, name)]
        contexts = backend.declared_contexts()
        name = record_name(identity, [] if "*" in globs else puts_of(asked, globs, contexts), chosen_profile())
        row = Row(named, identity.version, path := folder / name)
        if not again and is_kept(path, backend.adapter, row.version, asked, globs, contexts):
            row = replace(row, status=status_of(read_record(path)), note="kept")
    except (BackendError, KnownError) as error:
        row = Row(named, status=2, note=" ".join(str(error).split()))
    return replace(row, set_up=time.monotonic() - began)


def try_all(rows: Sequence[Row], runs: Runs, workers: int) -> list[Row]:
    """Run backends in parallel, and print each row when its run ends."""
    done = []
    pool = ThreadPoolExecutor(workers)
    try:
        for future in as_completed([pool.submit(runs.run, row, row.path) for row in rows if row.path]):
            done.append(future.result())
            print(done[-1], flush=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        runs.end()
    return done
