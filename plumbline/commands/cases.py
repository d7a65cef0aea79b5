"""List, check, write, measure and export cases."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from plumbline.cases.corpus.write import write_corpus
from plumbline.cases.format.case import Case
from plumbline.cases.format.layout import LayoutError, laid_out, layout_problems
from plumbline.cases.format.lint import disagreements, duplicates, merged
from plumbline.cases.format.lint import lint as problems_of
from plumbline.cases.format.loader import CASE_FOLDER, case_files, load_cases, read_cases
from plumbline.cases.format.schema import SCHEMA_FILE, schema_text
from plumbline.cases.format.writing import schema_line
from plumbline.cases.generate import special_cases
from plumbline.cases.generate.boundary_classes import coverage as shares
from plumbline.cases.generate.boundary_classes import covered, satisfiable
from plumbline.cases.generate.choices import maker, makes_calls
from plumbline.cases.generate.clause_cases import gaps_of_all
from plumbline.cases.generate.run_cases import GENERATED, generated_cases
from plumbline.cases.generate.scaffold import scaffold
from plumbline.cases.generate.size_classes import covered_sizes, sought
from plumbline.cases.onnx.export import export as write_models
from plumbline.commands.base import Commands
from plumbline.oracle import SpecError, load_spec
from plumbline.oracle.choosing import every
from plumbline.oracle.disagreement_page import call_line
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.files import read_text, write_file
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import matches, names_matching, operators, text_path, there_are
from plumbline.reports.words import count

if TYPE_CHECKING:
    from plumbline.trial.editions.node_tests import NodeTest

commands = Commands("cases", help=__doc__)
some_specs = click.option("--spec", default="*", metavar="GLOB", help="Specifications, such as 'sonnx/*'; default all.")


@commands.command()
@click.argument("spec")
@click.argument("id_", metavar="ID")
@click.option("--file", "path", type=click.Path(path_type=Path), metavar="PATH",
              help="Add it to this file, created if missing.")
def new(spec: str, id_: str, path: Path | None) -> None:
    """Print the skeleton of a case, or add it to a file."""
    text = scaffold(spec, id_, path)
    if path is None:
        print(text, end="")
        return
    write_file(path, (read_text(path) if path.exists() else "") + text)
    print(f"{path}: {id_} added; change its title, clauses, inputs and what it expects, then\n"
          f"plumbline cases lint {path}")


@commands.command("import-examples")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--check", is_flag=True, help="Write nothing: list the examples that no case names, with status 1.")
def import_examples(specs: tuple[str, ...], check: bool) -> int:
    """Write the official examples of the installed onnx that no case names yet.

    SPEC is a specification of ONNX without a version, or a glob such as 'onnx/*'. The examples of onnx/abs are added to
    cases/onnx/abs/official.yaml, those of a specification in a folder of yours to a file beside it, such as
    onnx/abs-official.yaml. A case names an example in its source.

    Exit status: 0, 1 with --check if some example has no case.
    """
    from plumbline.trial.editions.official_cases import absent, as_file, entries  # on demand: onnx makes them slowly
    known = {name.partition("@")[0] for names in operators().values() for name in names}
    unknown = [spec for spec in specs if not any(matches(name, spec) for name in known)]
    if unknown:
        raise click.ClickException(f"{unknown[0]} matches no specification; plumbline list shows all")
    missing: dict[str, list[NodeTest]] = {}
    about = {name for names in operators().values() if any(matches(*pair) for pair in product(names, specs))
             for name in names}  # a case of any specification of the operator may name the example
    for test in absent(load_cases(None, about)):
        name = test.spec.name.partition("@")[0] if test.spec is not None else ""
        if any(matches(name, pattern) for pattern in specs):
            missing.setdefault(name, []).append(test)
    for name, tests in missing.items():
        path = _official(name)
        if check:
            print(f"{name}: no case names {', '.join(test.name for test in tests)}")
        elif listed := entries(tests):
            added = as_file(name, listed, schema_line(path.parent))
            path.parent.mkdir(parents=True, exist_ok=True)
            text = f"{read_text(path)}\n{added[added.index('- example:'):]}" if path.exists() else added
            write_file(path, laid_out(text, path.parent))
            print(f"{path}: {len(listed)} added")
    return int(check and bool(missing))


def _official(name: str) -> Path:
    """Return the file for the official examples of a specification: in the suite, or beside a text outside it."""
    text = text_path(name)
    if text.is_relative_to(SPEC_FOLDER):
        return CASE_FOLDER / name / "official.yaml"
    return text.with_name(f"{text.stem}-official.yaml")


@commands.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Rewrite the files in the standard layout.")
def lint(paths: tuple[Path, ...], fix: bool) -> int:
    """Check files of cases; without a name all, those of the suite as well.

    Checks schema, titles, clauses, expectations against both oracles, and layout. Exit status: 0 if there is no
    problem, 1 otherwise.
    """
    chosen = list(paths) or None
    if chosen is None:
        print(f"checking {count(len(case_files(None)), 'file')}; name some to check these alone", file=sys.stderr)
    cases, errors = read_cases(chosen)
    unread = {error.path for error in errors}
    files = [path for path in case_files(chosen) if path not in unread]
    if fix:
        for path in files:
            with suppress(LayoutError):  # reported below
                write_file(path, laid_out(read_text(path), path.parent))
    problems = [*map(str, errors), *(line for path in files for line in layout_problems(path)),
                *merged(line for case in cases for line in problems_of(case)), *duplicates(cases)]
    for line in problems:
        print(safe(line))
    print(f"{count(len(cases), 'case')}, {count(len(problems), 'problem')}")
    return 1 if problems else 0


@commands.command()
@some_specs
def gaps(spec: str) -> int:
    """Show clauses that no case tries, written or generated, and the cases to write.

    Exit status: 0 if there are none, 1 otherwise.
    """
    names = _named(spec)
    cases, errors = read_cases(None, names)
    lines = [*map(str, errors), *(line for name in names for line in gaps_of_all(name, cases))]
    print("\n".join([*lines, f"{sum(len(load_spec(name).clauses) for name in names)} clauses, {len(lines)} not tried"]))
    return 1 if lines else 0


@commands.command()
@click.argument("spec", default="*")
def coverage(spec: str) -> int:
    """Measure the coverage of boundary classes, sizes and special values.

    Counts those that a run without options covers, of all that are possible; plumbline/cases/generate
    (boundary_classes, size_classes, special_cases) defines them. Exit status: 0 if all are covered, 1 otherwise;
    special values outside the domain of a specification do not count.
    """
    names = _named(spec)
    written, complete = load_cases(None, names), True
    for name in names:
        specification = load_spec(name)
        tried = [*written, *generated_cases(name, written, seed=0)]
        calls = [case.call for case in tried if case.spec == name]
        pairs, sizes = covered(specification, calls), covered_sizes(specification, calls)
        if sought(name):
            print(f"{name}: {len(sizes)} of {len(sought(name))} sizes with each element type")
        complete &= sizes == sought(name)
        if values := special_cases.sought(specification):
            print(f"{name}: {len(special_cases.covered_values(specification, calls))} of {len(values)} special values "
                  "with each floating-point type")
        if not satisfiable(name):
            print(f"{name}: no clause has a boundary, so there are no classes to cover")
            continue
        print(f"{name}: {len(pairs)} of {len(satisfiable(name))} pairs of boundary classes")
        for address, (number, possible) in shares(specification, pairs).items():
            print(f"    {number:4} / {possible:<4} {address}")
        complete &= pairs == satisfiable(name)
    return 0 if complete else 1


@commands.command()
@click.argument("spec")
@click.option("--bound", type=click.IntRange(min=1, max=64), required=True, metavar="N",
              help="Largest cost of a call, in bits of choices.")
@click.option("--count", is_flag=True, help="Only print their number.")
@click.option("--compare", is_flag=True, help="Print the calls on which the two oracles disagree.")
def sweep(spec: str, bound: int, count: bool, compare: bool) -> int:
    """List every call up to a bound, the simplest first.

    The bound is on the bits of choices. Exit status: 1 if the oracles disagree, 2 if no call is inside the domain.
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
            differing = list(disagreements(spec, call))
            wrong += bool(differing)
            print("".join(f"{number}  {line}: {call_line(call)}\n" for line in differing), end="",
                  flush=bool(differing))
        elif not count:
            print(f"{number}  {call_line(call)}")
    if not calls:
        raise SpecError(f"{spec}: no call within {bound} bits is inside the domain; nothing was tried")
    if count or compare:
        disagreement = f", {wrong} on which the two oracles disagree" if compare else ""
        print(f"{spec}: {calls} calls of {numbers} numbers{disagreement}")
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
@click.option("--format", "_", type=click.Choice(["onnx-backend-test"]), required=True, help="Format of the files.")
@some_specs
def export(folder: Path, _: str, spec: str) -> None:
    """Write models and data for ONNX's own backend test runner."""
    print(f"{folder}: {write_models(_chosen(spec), folder).summary()}")


@commands.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="OUT")
@some_specs
@click.option("--generated", type=click.IntRange(0), default=GENERATED, metavar="COUNT",
              help=f"Seeded cases of each specification; default {GENERATED}.")
@click.option("--since", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="CORPUS",
              help="A published corpus; its files must be unchanged in the new one.")
def corpus(folder: Path, spec: str, generated: int, since: Path | None) -> None:
    """Write every case as files that need no Python.

    The files are models, data, and test vectors with every conforming value. docs/corpus.md describes them, and when
    they change.
    """
    if since is not None and not since.is_dir():
        raise click.BadParameter(f"{since} is not a folder", param_hint="--since")
    names = _named(spec)
    with tqdm(total=len(names), disable=None, leave=False) as bar:
        def progress(name: str) -> None:
            bar.set_description(name)
            bar.update()
        done = write_corpus(folder, names, load_cases(None, names), generated=generated, since=since, progress=progress)
    print("\n".join([*done.lines(), f"corpus  {folder}"]))


def _chosen(pattern: str) -> list[Case]:
    return read_cases(None, _named(pattern))[0]


def _named(pattern: str) -> list[str]:
    """Return the specifications that match a pattern.

    Raises SpecError if none does.
    """
    names = names_matching(pattern)
    if not names:
        raise SpecError(f"no specification is called {pattern!r}; {there_are(pattern)}")
    return names
