"""Read command-line arguments that name records: paths or `latest`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from plumbline.trial.run.options import OptionError, read_options

LATEST = "latest"
UNFINISHED = ".unfinished.jsonl"

Chosen = TypeVar("Chosen")


class RecordPath(click.Path):
    """The path of a record; `latest` is the newest one below the report folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == LATEST and not Path(LATEST).exists():
            try:
                folder = read_options({}, Path.cwd()).report_dir
            except OptionError as error:
                raise click.ClickException(str(error)) from None
            if (path := _newest(folder.rglob("*.jsonl"))) is None:
                raise click.ClickException(f"no record below {folder}; `plumbline conformance` writes one")
            click.echo(f"latest: {path}", err=True)
            return path
        return super().convert(value, param, ctx)


def one_of(ctx: click.Context, param: click.Parameter, paths: Sequence[Path]) -> Path | None:
    """Return the newest of some records, for a command that reads one."""
    if len(paths) < 2:
        return paths[0] if paths else None
    path = _newest(path for path in paths if path.is_file()) or paths[-1]
    click.echo(f"of {len(paths)} records the newest is read: {path}", err=True)
    return path


def first_that_has(paths: Sequence[Path], read: Callable[[Path], Chosen]) -> Chosen:
    """Read the newest record for which `read` raises no LookupError.

    Raises the LookupError of the newest record if there is none.
    """
    first: LookupError | None = None
    for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns if path.is_file() else 0, reverse=True):
        try:
            return read(path)
        except LookupError as error:
            first = first or error
    assert first is not None, "a command names a record at least"
    raise first


def _newest(paths: Any) -> Path | None:
    """Return the file written last; unfinished records do not count."""
    files = [path for path in paths if not path.name.endswith(UNFINISHED)]
    return max(files, key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


some_records = click.argument("records", nargs=-1, required=True, type=RecordPath(), metavar="RECORD...")
one_record = click.argument("record", nargs=-1, required=True, type=RecordPath(), callback=one_of, metavar="RECORD")
