"""Cases: what is tried. List them, check them, begin a new one, count what they cover, take them elsewhere."""

from __future__ import annotations

from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

import click
from tqdm import tqdm

from plumbline.cases.corpus.write import CorpusError, write_corpus
from plumbline.cases.format.case import Case
from plumbline.cases.format.coverage import gaps as untried
from plumbline.cases.format.layout import LayoutError, laid_out, layout_problems
from plumbline.cases.format.lint import disagreements, duplicates
from plumbline.cases.format.lint import lint as problems_of
from plumbline.cases.format.loader import CaseError, case_files, load_cases, read_cases
from plumbline.cases.format.schema import SCHEMA_FILE, schema_text
from plumbline.cases.generate import special_cases
from plumbline.cases.generate.boundary_classes import coverage as shares
from plumbline.cases.generate.boundary_classes import covered, satisfiable
from plumbline.cases.generate.choices import maker, makes_calls
from plumbline.cases.generate.run_cases import GENERATED, generated_cases
from plumbline.cases.generate.scaffold import ScaffoldError, scaffold
from plumbline.cases.generate.size_classes import covered_sizes, sought
from plumbline.cases.onnx.export import ExportError
from plumbline.cases.onnx.export import export as write_models
from plumbline.commands.base import Commands
from plumbline.oracle import SpecError, load_spec, spec_names
from plumbline.oracle.choosing import every
from plumbline.oracle.disagreement_page import call_line
from plumbline.oracle.files import read_text, write_file
from plumbline.oracle.specification import there_are

ERRORS = (CaseError, CorpusError, ExportError, OSError, ScaffoldError, SpecError)

commands = Commands("cases", errors=ERRORS, help=__doc__)
some_specs = click.option("--spec", default="*", metavar="GLOB", help="Specifications, such as 'sonnx/*'; default all.")


@commands.command()
@click.argument("spec")
@click.argument("id_", metavar="ID")
@click.option("--file", "path", type=click.Path(path_type=Path), metavar="PATH",
              help="Add it to this file, which is made where there is none.")
def new(spec: str, id_: str, path: Path | None) -> None:
    """Print a case to begin with, or add it to a file."""
    text = scaffold(spec, id_, path)
    if path is None:
        print(text, end="")
        return
    write_file(path, (read_text(path) if path.exists() else "") + text)
    print(f"{path}: {id_} added; change its title, clauses, inputs and what it expects, then\n"
          f"plumbline cases lint {path}")


@commands.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Lay the files out.")
def lint(paths: tuple[Path, ...], fix: bool) -> int:
    """Check files of cases: schema, titles, clauses, expectations against both oracles, layout.

    Exit status: 0 no problem, 1 some.
    """
    chosen = list(paths) or None
    cases, errors = read_cases(chosen)
    unread = {error.path for error in errors}
    files = [path for path in case_files(chosen) if path not in unread]
    if fix:
        for path in files:
            with suppress(LayoutError):  # reported below
                write_file(path, laid_out(read_text(path), path.parent))
    problems = [*map(str, errors), *(line for path in files for line in layout_problems(path)),
                *(line for case in cases for line in problems_of(case)), *duplicates(cases)]
    for line in problems:
        print(line)
    print(f"{len(cases)} cases, {len(problems)} problem{'s' if len(problems) != 1 else ''}")
    return 1 if problems else 0


@commands.command()
@some_specs
def gaps(spec: str) -> int:
    """Show the clauses that no case tries, and what to write. Exit status: 0 none, 1 some."""
    names = _named(spec)
    cases, errors = read_cases()
    lines = [*map(str, errors), *(line for name in names for line in untried(name, cases))]
    print("\n".join([*lines, f"{sum(len(load_spec(name).clauses) for name in names)} clauses, {len(lines)} not tried"]))
    return 1 if lines else 0


@commands.command()
@click.argument("spec", default="*")
def coverage(spec: str) -> int:
    """Count the boundary classes, sizes and special values that a run without options has, of those that can be had.

    plumbline/cases/generate (boundary_classes, size_classes, special_cases) defines what is counted. Exit status: 0
    all of them, 1 not all; special values outside the domain of a specification do not count.
    """
    written, complete = load_cases(), True
    for name in _named(spec):
        text = load_spec(name)
        tried = [*written, *generated_cases(name, written, seed=0)]
        calls = [case.call for case in tried if case.spec == name]
        found, sizes = covered(text, calls), covered_sizes(text, calls)
        if sought(name):
            print(f"{name}: {len(sizes)} of {len(sought(name))} sizes with each element type")
        complete &= sizes == sought(name)
        if values := special_cases.sought(text):
            print(f"{name}: {len(special_cases.covered_values(text, calls))} of {len(values)} special values with each "
                  "floating-point type")
        if not satisfiable(name):
            print(f"{name}: no clause has a boundary, so there are no classes to cover")
            continue
        print(f"{name}: {len(found)} of {len(satisfiable(name))} pairs of boundary classes")
        for address, (count, of) in shares(text, found).items():
            print(f"    {count:4} / {of:<4} {address}")
        complete &= found == satisfiable(name)
    return 0 if complete else 1


@commands.command()
@click.argument("spec")
@click.option("--bound", type=click.IntRange(min=1), required=True, metavar="N", help="Bits of choices.")
@click.option("--count", is_flag=True, help="Say how many there are.")
@click.option("--compare", is_flag=True, help="Show what the two oracles disagree on.")
def sweep(spec: str, bound: int, count: bool, compare: bool) -> int:
    """Go through every call whose choices cost at most so many bits, the plainest first, one line each with its number.

    Exit status: 1 when the oracles disagree, 2 when no call is inside the domain.
    """
    text = load_spec(spec)
    if not makes_calls(text):
        raise SpecError(f"{spec}: its definition makes no calls; write `make`")
    numbers, calls, wrong = 0, 0, 0
    for number, call in every(maker(text), bound):
        numbers = number + 1
        if text.violations(call):
            continue
        calls += 1
        if compare:
            found = list(disagreements(spec, call))
            wrong += bool(found)
            print("".join(f"{number}  {line}: {call_line(call)}\n" for line in found), end="", flush=bool(found))
        elif not count:
            print(f"{number}  {call_line(call)}")
    if not calls:
        raise SpecError(f"{spec}: no call within {bound} bits is inside the domain; nothing was tried")
    if count or compare:
        said = f", {wrong} on which the two oracles disagree" if compare else ""
        print(f"{spec}: {calls} calls of {numbers} numbers{said}")
    return 1 if wrong else 0


@commands.command()
def schema() -> None:
    """Write cases/case.schema.json, for editors."""
    write_file(SCHEMA_FILE, schema_text())
    print(f"wrote {SCHEMA_FILE.name}")


@commands.command("list")
@some_specs
def list_(spec: str) -> None:
    """List cases, one line each."""
    for case in _chosen(spec):
        print(f"{case.spec}  {case.id}  {case.title}")


@commands.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--format", "_", type=click.Choice(["onnx-backend-test"]), required=True, help="Of the files.")
@some_specs
def export(folder: Path, _: str, spec: str) -> None:
    """Write models and data as ONNX's own backend test runner reads them."""
    print(f"{folder}: {write_models(_chosen(spec), folder).summary()}")


@commands.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="OUT")
@some_specs
@click.option("--generated", type=click.IntRange(0), default=GENERATED, metavar="COUNT",
              help=f"Seeded cases of each specification; default {GENERATED}.")
@click.option("--since", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="CORPUS",
              help="One that was published: what stands there must be the same here.")
def corpus(folder: Path, spec: str, generated: int, since: Path | None) -> None:
    """Freeze every case as files that need no Python: models, data, and vectors with every value that conforms.

    docs/corpus.md says what is in them, and when they change.
    """
    names = _named(spec)
    with tqdm(total=len(names), disable=None, leave=False) as bar:
        def progress(name: str) -> None:
            bar.set_description(name)
            bar.update()
        done = write_corpus(folder, names, load_cases(_files_of(names)), generated=generated, since=since,
                            progress=progress)
    print("\n".join([*done.lines(), f"corpus  {folder}"]))


def _chosen(pattern: str) -> list[Case]:
    names = _named(pattern)
    return [case for case in read_cases(_files_of(names))[0] if case.spec in names]


def _files_of(names: list[str]) -> list[Path]:
    """The files of cases that name one of these specifications: to read all of them takes long."""
    unversioned = {name.partition("@")[0] for name in names}
    return [path for path in case_files() if any(name in path.read_text(encoding="utf-8") for name in unversioned)]


def _named(pattern: str) -> list[str]:
    """The specifications of a pattern. Raises SpecError when there is none."""
    names = [name for name in spec_names() if fnmatch(name, pattern)]
    if not names:
        raise SpecError(f"no specification is called {pattern!r}; {there_are(pattern)}")
    return names
