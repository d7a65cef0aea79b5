"""Make pages, tables, badges and comparisons from records (reports/out/*.jsonl)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import click

from plumbline.commands.base import Command, Commands
from plumbline.commands.records import RecordPath, first_that_has, one_record, some_records
from plumbline.oracle.files import write_file
from plumbline.reports.changes import compare as compared
from plumbline.reports.comparison_text import comparison
from plumbline.reports.comparison_text import history as history_text
from plumbline.reports.differences import differences_text, joined
from plumbline.reports.exchange import job_summary, needs_json, reqif_text, sarif_text
from plumbline.reports.page import write_html
from plumbline.reports.reproduce import write_files
from plumbline.reports.site import write_site
from plumbline.reports.specials import specials_text
from plumbline.reports.striking import page as differences_page
from plumbline.reports.tables import write_badge, write_tables
from plumbline.reports.text import explain as explained
from plumbline.reports.text import summary_lines, tone
from plumbline.reports.upstream import upstream as upstream_text
from plumbline.trial.record.recording import read_record, read_records
from plumbline.trial.tools.promotion import chosen_line

OUT = Path("reports/out")

File = click.Path(path_type=Path)
to_file = click.option("--output", type=File, metavar="FILE", help="Output file; printed by default.")
folder = click.option("--output", "--out", "folder", type=File, default=OUT, metavar="DIR",
                      help=f"Folder to write to; default {OUT}.")


commands = Commands("reports", help=__doc__)


@commands.command()
@some_records
@click.option("--output", type=File, metavar="FILE", help="The page; by default beside the first record.")
def html(records: tuple[Path, ...], output: Path | None) -> None:
    """Write one self-contained page, for several records side by side."""
    path = output or records[0].with_suffix(".html")
    _keep(records, path)
    print(write_html(read_records(records), path))


@commands.command("tables")
@some_records
@folder
def csv(records: tuple[Path, ...], folder: Path) -> None:
    """Write clauses.csv, cases.csv and traceability.csv."""
    print("\n".join(map(str, write_tables(read_records(records), folder))))


@commands.command()
@click.argument("words", nargs=-1, required=True, metavar="RECORD... [ID]...")
@click.argument("folder", type=File, metavar="DIR")
@click.pass_context
def files(ctx: click.Context, words: tuple[str, ...], folder: Path) -> None:
    """Write model, inputs and outputs of findings as files.

    Each faulty result, or each of the cases named, gets a folder in DIR with model.onnx, input_N.pb, expected_N.pb and
    got_N.pb (N counts from 0), and with reproduce.py, which exits with 1 if the fault shows and with 0 otherwise, for
    `git bisect run`. Tensors that the record contains only in part are left out.
    """
    number = next((at for at, word in enumerate(words) if at and not word.endswith(".jsonl")), len(words))
    records, ids = [RecordPath().convert(word, None, ctx) for word in words[:number]], words[number:]
    for place, names in first_that_has(records, lambda path: write_files(read_record(path), ids, folder)):
        print(place, ", ".join(names) if names else "(no files: the record contains its input only in part)")


@commands.command()
@one_record
@to_file
def sarif(record: Path, output: Path | None) -> None:
    """Write SARIF 2.1.0 for code-scanning pages.

    Each root cause is a result, and its rule is the broken clause.
    """
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
@some_records
@click.argument("id_", metavar="ID")
@click.option("--spec", metavar="NAME", help="Needed if several specifications have a case of that name.")
@click.option("--form", help="Y or Y+Indices; by default the first one recorded with its call.")
@click.option("--bisect", type=click.File(encoding="utf-8"), metavar="FILE",
              help="Output of plumbline bisect about the case.")
@to_file
def upstream(records: tuple[Path, ...], id_: str, spec: str | None, form: str | None, bisect: TextIO | None,
             output: Path | None) -> None:
    """Write a result as a bug report for the runtime, in Markdown.

    The report has what the specification says, the call, expected and actual outputs, a script that needs only the
    runtime, and the versions. docs/report-upstream.md describes all steps.
    """
    run, line = first_that_has(records, lambda path: (
        (record := read_record(path)), chosen_line(record, id_, spec, form)))
    _give(records, output, upstream_text(run, line, bisect.read() if bisect else None))


@commands.command()
@some_records
@to_file
def specials(records: tuple[Path, ...], output: Path | None) -> None:
    """Write a Markdown table of special values.

    For NaN, infinities, zeros and overflow: what each specification requires, and the results of each backend.
    """
    _give(records, output, specials_text(read_records(records)))


@commands.command()
@some_records
@click.option("-v", "--verbose", is_flag=True, help="Include every broken clause.")
def summary(records: tuple[Path, ...], verbose: bool) -> None:
    """Print the summary of a conformance run."""
    for record in read_records(records):
        model = record.header.model
        title = f"{model.file} on {record.who}" if model else record.who
        for line in [title, *summary_lines(record, verbose), ""]:
            click.secho(line, fg=tone(line) or None, reset=bool(tone(line)))


@commands.command()
@some_records
@click.argument("out", type=File, metavar="OUT")
def site(records: tuple[Path, ...], out: Path) -> None:
    """Write a static site of operators, backends and versions.

    It has a page for each operator and each backend, pages of unspecified behaviour and special values, and a search,
    with JSON and badges beside the pages. Give one record for each version of each backend. OUT is a folder; any static
    host serves it, and its pages can be opened from disk.
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
@click.argument("old", type=RecordPath())
@click.argument("new", type=RecordPath())
@click.option("--intersection", is_flag=True, help="Compare only results in both records.")
def compare(old: Path, new: Path, intersection: bool) -> int:
    """Compare two records, as Markdown.

    Records that did not try the same are refused. Exit status: 1 if something got worse.
    """
    difference = compared(read_record(old), read_record(new), intersection)
    print(comparison(difference), end="")
    return 1 if difference.appeared else 0


@commands.command()
@some_records
def history(records: tuple[Path, ...]) -> None:
    """Show the changes of each clause over versions, as Markdown."""
    print(history_text(read_records(records)), end="")


@commands.command()
@some_records
@click.option("--calls", type=click.IntRange(min=0), default=0, metavar="N",
              help="Write a page that shows the N most striking calls as well, one of each operator.")
def differences(records: tuple[Path, ...], calls: int) -> None:
    """Show the clauses that some records break and others do not, as Markdown.

    Records of one backend and version are one column if they are about different specifications."""
    read = joined(read_records(records))
    print(differences_page(read, calls) if calls else differences_text(read), end="")


@commands.command()
@one_record
@click.option("--spec", default="*", metavar="GLOB", help="Specifications, such as 'sonnx/*'; default all.")
@folder
def badge(record: Path, spec: str, folder: Path) -> None:
    """Write a badge endpoint for shields.io."""
    print("\n".join(map(str, write_badge(read_record(record), folder, spec))))


def _give(records: Sequence[Path], output: Path | None, text: str) -> None:
    if output is None:
        print(text, end="")
    else:
        _keep(records, output)
        print(write_file(output, text))


def _keep(records: Sequence[Path], output: Path) -> None:
    """Raise ClickException if a record would be overwritten."""
    if any(os.path.realpath(path) == os.path.realpath(output) for path in records):
        raise click.ClickException(f"{output} is one of the input records; name another --output")
