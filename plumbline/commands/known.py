"""Commands `plumbline known`: draft and verify known divergences."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from plumbline.backends import find_backend
from plumbline.backends.releases import releases
from plumbline.commands.base import Commands, Number
from plumbline.commands.records import RecordPath, one_of
from plumbline.oracle.files import write_file
from plumbline.trial.known.draft import known_text
from plumbline.trial.known.frozen_calls import read_calls, write_calls
from plumbline.trial.known.register_file import KnownError, read_known, schema_text
from plumbline.trial.record.recording import read_record
from plumbline.trial.tools.verification import Finding, Verification, verify_releases

path = click.Path(path_type=Path)


class DraftOrVerify(Commands):
    """`known RECORD` drafts a list, `known verify` verifies one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without the name of a command they are those of `draft`."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = ["draft", *args]
        return super().parse_args(ctx, args)


commands = DraftOrVerify("known", help="Draft a file of known divergences from a record, or verify those of the suite. "
                         "`plumbline known RECORD` is short for `plumbline known draft RECORD`.")


@commands.command()
@click.argument("record", nargs=-1, type=RecordPath(), callback=one_of, metavar="[RECORD]")
@click.option("--output", type=path, metavar="FILE", help="A new output file, or a list without entries; "
              "printed by default.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of such a file instead, for editors.")
def draft(record: Path | None, output: Path | None, schema: bool) -> None:
    """Write the draft of a file of known divergences from a record.

    Each entry is a root cause, with places for a reason and a link. --known accepts the file once every reason is
    given.
    """
    if schema == (record is not None):
        raise click.UsageError("Name a record, or --schema.")
    text = schema_text() if record is None else known_text(read_record(record))
    if output is None:
        print(text, end="")
        return
    if os.path.lexists(output) and not _is_empty(output):
        raise click.ClickException(f"{output}: exists already; without --output the entries are printed, to be added "
                                   "to it")
    print(write_file(output, text))


def _is_empty(path: Path) -> bool:
    """Return True for a list without entries, as `plumbline init` writes it."""
    try:
        return path.is_file() and not path.is_symlink() and not read_known(path).divergences
    except KnownError:
        return False


# `known --output` and `known --schema` are those of `draft`: for --help, which lists them
commands.params += [parameter for parameter in draft.params if isinstance(parameter, click.Option)]


@commands.command()
@click.argument("backend")
@click.option("-k", "keyword", default="", metavar="TEXT", help="Only entries whose id contains it.")
@click.option("--releases", "also_releases", is_flag=True, help="Also the first and last published release that each "
              "entry claims, and one on either side, of those that run on this Python.")
@click.option("--freeze", is_flag=True, help="First look for a call for each entry that none shows, and keep the "
              "smallest; for a clone of the suite.")
@click.option("--time-limit", type=Number(0, 86400, min_open=True), default=20.0, metavar="SECONDS",
              help="For one call; default 20.")
@click.option("-v", "--verbose", is_flag=True, help="Print what shows each entry, too.")
def verify(backend: str, keyword: str, also_releases: bool, freeze: bool, time_limit: float, verbose: bool) -> int:
    """Verify that something still shows each entry of the suite's list for BACKEND.

    BACKEND is an adapter of the suite, NAME==VERSION or NAME@PROVIDER. Exit status: 0 if all entries stand, 1 if some
    are stale, 2 if it could not be done.
    """
    began = time.monotonic()
    name, _, version = backend.partition("==")
    if version and also_releases:
        raise click.UsageError("--releases chooses versions; name the backend without one.")
    verification = Verification(find_backend(backend).adapter or name, time_limit)
    verification.entries = [entry for entry in verification.entries if keyword in entry.id]
    if not verification.entries:
        raise KnownError(f"no entry of {name} has {keyword!r} in its id")
    findings, who = _verified(verification, backend, freeze)
    if also_releases:
        findings += verify_releases(verification, releases(name), click.echo)
    for finding in findings:
        if finding.is_stale:
            click.echo(f"stale  {finding}")
        elif finding.claimed and not finding.shown:
            click.echo(f"unseen {finding}")
        elif verbose and finding.shown:
            click.echo(f"stands {finding}")
    stale = len({finding.entry.id for finding in findings if finding.is_stale})
    others = len(verification.entries) - len({finding.entry.id for finding in findings})
    click.echo(f"{who}: {len(verification.entries) - others} entries, {stale} stale"
               + f"; {others} about other versions" * bool(others) + f"; {time.monotonic() - began:.0f} s")
    return int(stale > 0)


def _verified(verification: Verification, backend: str, freeze: bool) -> tuple[list[Finding], str]:
    """Return findings on the version that is started, frozen calls completed before; and who it is."""
    host = find_backend(backend).start()
    try:
        version = host.identity.version
        entries = [entry for entry in verification.entries if entry.holds(version)]
        shown: dict[str, Any] = {}
        for finding in tqdm(verification.run(host, entries), total=len(entries), disable=None, leave=False):
            shown[finding.entry.id] = finding
        own = read_calls(verification.backend)
        for entry in entries if freeze else ():
            if shown[entry.id].shown:
                continue
            try:
                call = verification.freeze(host, entry)
            except KnownError as error:
                click.echo(f"{entry.id}: {error}")
                continue
            if call is not None:
                verification.frozen[entry.id] = own[entry.id] = call
                write_calls(verification.backend, own)
                shown[entry.id] = next(iter(verification.run(host, [entry])))
            click.echo(f"{entry.id}: {'frozen' if call else 'no generated call shows it'}")
        return list(shown.values()), str(host.identity)
    finally:
        host.close()
