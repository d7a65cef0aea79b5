"""The command `plumbline matrix`: test every backend, and write one page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from plumbline.commands.base import FAILED, Commands
from plumbline.oracle.accuracy import choose_profile
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import profile_named
from plumbline.processes.copies import processors
from plumbline.reports import write_html
from plumbline.reports.text import news
from plumbline.trial import read_record
from plumbline.trial.accuracy.measurement import Measurement, read_measurements
from plumbline.trial.tools.matrix import drawn, try_everything

commands = Commands("matrix")


@commands.command("matrix")
@click.argument("names", nargs=-1, metavar="[NAME[==VERSION]]...")
@click.option("--again", is_flag=True, help="Test also backends whose record is still valid.")
@click.option("--spec", "globs", multiple=True, metavar="GLOB",
              help="Specifications to test, such as 'sonnx/*'; repeatable; default a sample.")
@click.option("--all", "everything", is_flag=True, help="Test all specifications, which takes hours.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of the sample; default the date of today.")
@click.option("--accuracy", metavar="NAME", help="Judge errors by that accuracy profile, such as opencl-full.")
@click.option("--measured", "files", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Show also a measurements.json of `plumbline accuracy`, as far as it is of these backends.")
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1, metavar="N",
              help="Runs at once; default one for each processor.")
@click.option("--report-dir", type=click.Path(path_type=Path), default=Path("reports/out/matrix"), metavar="DIR",
              help="Where records and page go; default reports/out/matrix here.")
def matrix(names: tuple[str, ...], again: bool, globs: tuple[str, ...], everything: bool, seed: int | None,
           accuracy: str | None, files: tuple[Path, ...], workers: int, report_dir: Path) -> int:
    """Test every backend, or those named, and write one page with a column for each.

    They are tested on a sample of specifications, drawn by a seed that is printed; --all tests all specifications,
    --spec those that it names. Backends in a browser are slow, and tested only if named.

    First the backends are set up, one after another; the first time, this downloads 5 GB, most of it torch and jax.
    Then each is tested by its own conformance run, whose time is printed. A backend with a valid record is skipped
    unless --again is given, so an interrupted matrix continues where it stopped.

    Exit status: 0 if nothing is new, 1 if something is new or gone, 2 if some backend could not be tested.
    """
    if everything + (seed is not None) + bool(globs) > 1:
        raise click.UsageError("give one of --all, --spec and --seed: each says which specifications are tested")
    if everything:
        globs = ("*",)
    elif not globs:
        seed = int(f"{date.today():%Y%m%d}") if seed is None else seed
        sample = drawn(names, seed)
        print(f"a sample of {len(sample)} specifications, by --seed {seed} (--all tests all):",
              *sample, sep="\n    ", flush=True)
        globs = (",".join(sample),)  # one pattern: a backend need not answer calls of each
    measured = [entry for path in files for entry in read_measurements(path)]
    undo = choose_profile(profile_named(accuracy).name.partition("/")[2]) if accuracy else None
    try:
        return _matrix(names, again, globs, workers, report_dir, measured)
    finally:
        if undo:
            undo()


def _matrix(names: tuple[str, ...], again: bool, globs: tuple[str, ...], workers: int, report_dir: Path,
            measured: Sequence[Measurement]) -> int:
    """Test the backends, and write the page."""
    done = try_everything(names, globs, report_dir, again, workers)
    records = [read_record(path) for path in sorted(row.path for row in done if row.path and row.path.is_file())]
    for row in done:
        if row.status == 1 and row.path:
            print("", safe(row.named), *news(read_record(row.path)), "", sep="\n")
    if records:
        page = write_html(records, report_dir / "matrix.html", processors(), measured)
        print(f"report  {os.path.relpath(page)}")
    return max(FAILED if row.status is None else row.status for row in done)
