"""Reports: pages, tables, badges and comparisons, made from records alone (reports/out/*.jsonl)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import click

from plumbline.commands.base import Command, Commands
from plumbline.oracle.files import write_file
from plumbline.reports.changes import NotComparable
from plumbline.reports.changes import compare as compared
from plumbline.reports.exchange import job_summary, needs_json, reqif_text, sarif_text
from plumbline.reports.page import write_html
from plumbline.reports.reproduce import FilesError, write_files
from plumbline.reports.site import SiteError, write_site
from plumbline.reports.specials import specials_text
from plumbline.reports.tables import write_badge, write_tables
from plumbline.reports.text import comparison, summary_lines, tone
from plumbline.reports.text import explain as explained
from plumbline.reports.text import history as history_text
from plumbline.reports.upstream import UpstreamError
from plumbline.reports.upstream import upstream as upstream_text
from plumbline.trial.record.recording import RecordError, read_record, read_records
from plumbline.trial.tools.promotion import chosen_line

OUT = Path("reports/out")

File = click.Path(path_type=Path)
some_records = click.argument("records", nargs=-1, required=True, type=File, metavar="RECORD...")
to_file = click.option("--output", type=File, metavar="FILE", help="Where it goes; by default it is printed.")
one_record = click.argument("record", type=File)
folder = click.option("--out", type=File, default=OUT, metavar="DIR", help=f"Folder to write to; default {OUT}.")


commands = Commands("reports", errors=(FilesError, LookupError, NotComparable, OSError, RecordError, RecursionError,
                                     SiteError, UpstreamError),
                    help=__doc__)


@commands.command()
@some_records
@click.option("--output", type=File, metavar="FILE", help="The page; default beside the first record.")
def html(records: tuple[Path, ...], output: Path | None) -> None:
    """Write one self-contained page, for several records side by side."""
    path = output or records[0].with_suffix(".html")
    _keep(records, path)
    print(write_html(read_records(records), path))


@commands.command("tables")
@some_records
@folder
def csv(records: tuple[Path, ...], out: Path) -> None:
    """Write clauses.csv, cases.csv and traceability.csv."""
    print("\n".join(map(str, write_tables(read_records(records), out))))


@commands.command()
@one_record
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.argument("folder", type=File, metavar="DIR")
def files(record: Path, ids: tuple[str, ...], folder: Path) -> None:
    """Write the model, inputs, expected and given outputs of findings as files, each result in a folder of DIR.

    Of every result that accuses the backend, or of the cases named. Beside model.onnx, input_N.pb, expected_N.pb and
    got_N.pb (N counts from 0) stands reproduce.py, which exits 1 where the fault shows and 0 where it does not, for
    `git bisect run`. What the record keeps in part is left out.
    """
    for place, names in write_files(read_record(record), ids, folder):
        print(place, ", ".join(names) if names else "(nothing: the record keeps its input in part)")


@commands.command()
@one_record
@to_file
def sarif(record: Path, output: Path | None) -> None:
    """Write SARIF 2.1.0, for code-scanning pages: a result for each cause, whose rule is the broken clause."""
    _give([record], output, sarif_text(read_record(record)))


@commands.command()
@one_record
@to_file
def needs(record: Path, output: Path | None) -> None:
    """Write needs.json of sphinx-needs: clauses, cases, results and their links."""
    _give([record], output, needs_json(read_record(record)))


@commands.command()
@one_record
@to_file
def reqif(record: Path, output: Path | None) -> None:
    """Write ReqIF, for requirement tools: clauses, cases, results and their links."""
    _give([record], output, reqif_text(read_record(record)))


@commands.command()
@some_records
@to_file
def markdown(records: tuple[Path, ...], output: Path | None) -> None:
    """Write a few lines of Markdown, as for $GITHUB_STEP_SUMMARY."""
    _give(records, output, job_summary(read_records(records)))


@commands.command()
@one_record
@click.argument("id_", metavar="ID")
@click.option("--spec", metavar="NAME", help="Where several specifications have a case of that name.")
@click.option("--form", help="Y or Y+Indices; by default the first that the record holds with its call.")
@click.option("--bisect", type=click.File(encoding="utf-8"), metavar="FILE", help="What plumbline bisect printed about "
              "the case.")
@to_file
def upstream(record: Path, id_: str, spec: str | None, form: str | None, bisect: TextIO | None,
             output: Path | None) -> None:
    """Write one result as a report to those who mend the runtime, ready to file, as Markdown.

    With what the specification says, the call, what was expected and what came, a script that needs the runtime alone,
    and the versions. docs/report-upstream.md goes the whole way.
    """
    found = read_record(record)
    line = chosen_line(found, id_, spec, form)
    _give([record], output, upstream_text(found, line, bisect.read() if bisect else None))


@commands.command()
@some_records
@to_file
def specials(records: tuple[Path, ...], output: Path | None) -> None:
    """Write as Markdown what texts say of NaN, infinities, zeros and overflow, and what each backend did there."""
    _give(records, output, specials_text(read_records(records)))


@commands.command()
@some_records
@click.option("-v", "--verbose", is_flag=True, help="With every broken clause.")
def summary(records: tuple[Path, ...], verbose: bool) -> None:
    """Print what a conformance run prints at its end."""
    for record in read_records(records):
        for line in [record.who, *summary_lines(record, verbose), ""]:
            click.secho(line, fg=tone(line) or None, reset=bool(tone(line)))


@commands.command()
@some_records
@click.argument("out", type=File, metavar="OUT")
def site(records: tuple[Path, ...], out: Path) -> None:
    """Write a static site: operators, backends and versions, each with the clauses that are kept, broken and refused.

    A page for each operator and each backend, unspecified clauses, special values, a search; beside the pages JSON and
    badges. Give one record for each version of each backend. OUT is a folder; any static host serves it, and its pages
    open from a disk.
    """
    print(write_site(read_records(records), out)[0])


commands.add_command(Command("csv", params=csv.params, callback=csv.callback, hidden=True))  # its former name


@commands.command()
@click.argument("address")
@some_records
def explain(address: str, records: tuple[Path, ...]) -> None:
    """Explain a clause, with its cases and what each backend did."""
    print("\n".join(explained(address, read_records(records))))


@commands.command()
@click.argument("old", type=File)
@click.argument("new", type=File)
@click.option("--intersection", is_flag=True, help="Compare what both records hold.")
def compare(old: Path, new: Path, intersection: bool) -> int:
    """Compare two records: what appeared and what disappeared, as Markdown.

    Records that did not try the same are refused. Exit status: 1 when something got worse.
    """
    found = compared(read_record(old), read_record(new), intersection)
    print(comparison(found), end="")
    return 1 if found.appeared else 0


@commands.command()
@some_records
def history(records: tuple[Path, ...]) -> None:
    """Show when each clause changed, as Markdown."""
    print(history_text(read_records(records)), end="")


@commands.command()
@one_record
@click.option("--spec", default="*", metavar="GLOB", help="Specifications, such as 'sonnx/*'; default all.")
@folder
def badge(record: Path, spec: str, out: Path) -> None:
    """Write an endpoint for shields.io."""
    found = read_record(record)
    print("\n".join(map(str, write_badge(found, out, spec))))


def _give(records: Sequence[Path], output: Path | None, text: str) -> None:
    if output is None:
        print(text, end="")
    else:
        _keep(records, output)
        print(write_file(output, text))


def _keep(records: Sequence[Path], output: Path) -> None:
    """Raises ClickException where a record would be overwritten."""
    if any(path.resolve() == output.resolve() for path in records):
        raise click.ClickException(f"{output} is a record that the page is made from; name another --output")
