"""Write and update specifications."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from plumbline.cases.documents.skeleton import skeleton
from plumbline.cases.generate.schema_cases import is_judged
from plumbline.commands.base import Commands
from plumbline.data import data_folder
from plumbline.oracle.clause import SpecError
from plumbline.oracle.disagreement_page import call_line
from plumbline.oracle.files import read_text, write_file
from plumbline.oracle.schema_sync import synced, synced_front, written
from plumbline.oracle.specification import load_spec, matches, spec_names, text_path, texts_named

commands = Commands("specs", help=__doc__)


@commands.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--check", is_flag=True, help="Change nothing: list what would change, with status 1.")
def sync(specs: tuple[str, ...], check: bool) -> int:
    """Write what ONNX's operator schemas give into the front matter of specifications.

    Versions, inputs, outputs, the edition, and facts, which keep their addresses; new ones get the next free tag. A key
    with another value of your own is left as it is. SPEC is FAMILY/OPERATOR without a version.

    Exit status: 0 all is as the installed onnx has it, 1 with --check if something differs.
    """
    differing = 0
    for text in (text for name in specs for text in texts_named(name)):
        front, table, page = synced_front(text), synced(text, is_judged), read_text(text.path)
        before = {**text.front, **{address: fact.entry for address, fact in text.facts.items()}}
        after = {**front, **table}
        changed = [key for key in {**dict.fromkeys(text.facts), **after} if before.get(key) != after.get(key)]
        for key in changed:
            print(f"{text.path}: {key}: {before.get(key)} is now {after.get(key)}")
        new = written(page, front, table)
        if new != page and not changed:
            print(f"{text.path}: what is generated stands elsewhere or otherwise than it is written")
        differing += new != page
        if new != page and not check:
            write_file(text.path, new)
    return int(check and differing > 0)


@commands.command()
@click.argument("specs", nargs=-1, metavar="[GLOB...]")
@click.option("--calls", default=100, show_default=True, help="Drawn calls, in addition to the cases.")
def bodies(specs: tuple[str, ...], calls: int) -> int:
    """Compare specifications with the function bodies that ONNX's schemas have.

    A body is computed through the specifications of its operators, on all small cases and on drawn calls. Shown are
    bodies that break the specification of a node, results that do not conform, and values that conform although the
    body cannot give them, each with its smallest call. GLOB selects specifications, such as onnx/clip@13; default all.

    Exit status: 0 if each difference is at a clause that names the function body as a source, 1 otherwise.
    """
    from plumbline.cases.corpus.function_bodies import calls_of, findings  # on demand: it needs onnx, and cases
    from plumbline.oracle.families.functions import has_body
    chosen = [spec for spec in map(load_spec, spec_names())
              if any(matches(spec.name, pattern) for pattern in specs or ("onnx/*",)) and has_body(spec)]
    if not chosen:
        raise SpecError(f"{', '.join(specs)}: no specification of an operator with a function body; try onnx/clip@13")
    unstated = 0
    for spec in chosen:
        count, found = findings(spec, calls_of(spec, calls))
        click.echo(f"{spec.name}: {count} calls compared")
        for finding, call in found.items():
            unstated += not finding.is_stated(spec)
            where = f" ({', '.join(finding.clauses)})" if finding.clauses else ""
            click.echo(f"  {finding.kind}: {finding.what}{where}"
                       f"{'' if finding.is_stated(spec) else ', and no clause names the body'}: {call_line(call)}")
    return int(unstated > 0)


@commands.command()
@click.argument("operator")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="A folder of your own, for PLUMBLINE_SPECS. Default: the clone.")
@click.option("--name", metavar="FAMILY/OPERATOR", help="Name of the specification, such as mine/relu for a profile "
              "of Relu. Default: onnx/OPERATOR.")
def new(operator: str, folder: Path | None, name: str | None) -> int:
    """Write what ONNX's schemas give of the specification of an operator.

    OPERATOR is ONNX's name, such as HardSigmoid. No file is overwritten. What is left to write is marked TODO.

    Exit status: 0, 2 if a file or a specification of that name exists, or onnx has no such operator.
    """
    name = name or f"onnx/{operator.lower()}"
    if re.fullmatch(r"[a-z][a-z0-9_.-]*/[a-z][a-z0-9_]*", name) is None:
        raise SpecError(f"{name!r} is no name of a specification; write FAMILY/OPERATOR in small letters, such as "
                        f"mine/{operator.lower()}")
    made = skeleton(operator, name, folder, data_folder("spec").parent)
    existing = [path for path in made.files if path.exists()]
    if existing:
        raise SpecError(f"{existing[0]}: exists already; remove it, or go on with it")
    if name in {known.partition("@")[0] for known in spec_names()}:
        raise SpecError(f"there is a specification {name} already, {text_path(name)}; give yours another name: "
                        f"--folder FOLDER --name mine/{operator.lower()}")
    for path, content in made.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(write_file(path, content))
    for line in made.changes:
        print(line)
    if folder is not None:
        print(f"next: export PLUMBLINE_SPECS={shlex.quote(str(folder))}, then plumbline conformance --spec {name}")
    return 0
