"""List, explain and compare specifications; check models against them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from itertools import combinations, product
from pathlib import Path

import click

from plumbline.commands.base import FAILED, Commands, size_of
from plumbline.oracle.accuracy import FAMILY, is_of_profile
from plumbline.oracle.clause import Clause, SpecError, full_address
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.disagreement_page import call_line, page
from plumbline.oracle.disagreements import bound_line, differences, stated_by_one
from plumbline.oracle.discovery import SPEC_FOLDER
from plumbline.oracle.evidence import evidence_of
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.operator_table import operator_table
from plumbline.oracle.safe_text import safe
from plumbline.oracle.specification import (
    Spec,
    general_texts,
    load_spec,
    matches,
    profile_named,
    profiles,
    spec_names,
    specs_named,
    there_are,
)

commands = Commands("oracle", help=__doc__)


@commands.command("list")
@click.argument("spec", required=False)
@click.option("--table", is_flag=True, help="Operators and their specifications, as Markdown.")
def list_(spec: str | None, table: bool) -> None:
    """List the specifications, or the clauses of one.

    SPEC is a name (onnx/maxpool, onnx/maxpool@22: its clauses) or a glob ('sonnx/*': the specifications).

    Accuracy profiles are listed apart: plumbline list 'accuracy/*', and accuracy/opencl-full.
    """
    if table:
        _show(operator_table())
        return
    if spec is not None and is_of_profile(spec):
        names = [name for name in profiles() if fnmatch(f"{FAMILY}/{name}", spec)]
        if "*" in spec and not names:
            raise click.ClickException(f"{spec} matches no accuracy profile; there are {', '.join(profiles())}")
        _show([f"{FAMILY}/{name}" for name in names] if "*" in spec else
              _clauses([profile_named(spec.partition("/")[2])]))
        return
    if spec is not None and "*" not in spec:
        _show(_clauses(specs_named(spec)))
        return
    names = _chosen(spec_names(), [spec] if spec else [])
    if not names:
        raise SpecError(f"{spec} matches no specification; {there_are(str(spec))}")
    _show(names)


def _clauses(texts: Iterable[Spec | SpecText]) -> list[str]:
    return [f"{clause.address:44} {clause.kind:12} {clause.title}"
            for text in texts for clause in text.clauses.values()]


@commands.command()
@click.argument("address")
def explain(address: str) -> None:
    """Explain a clause: statement, source, restated and implied clauses.

    ADDRESS is SPECIFICATION#SECTION.TAG, as in sonnx/maxpool#Indices.F2, or SPECIFICATION#TAG with a tag of the
    source, as in sonnx/add#E_ADD_INT_FUNC_0010. It may also be a word of a summary or page: a known divergence
    (nan-spreads), a flag (pad-reaches-kernel), a symptom, a context or a verdict.
    """
    _show(_meanings(address) or list(_explained(address)))


def _meanings(word: str) -> list[str]:
    """Return lines that explain a word of a summary, [] for an address of a clause."""
    if "/" in word or word != word.lower():
        return []
    from plumbline.trial.known.meanings import meanings  # on demand: it reads all definitions
    return meanings(word)


@commands.command()
@click.argument("specs", nargs=-1, metavar="SPEC SPEC | --all [GLOB...]")
@click.option("--all", "everything", is_flag=True,
              help="Compare every pair about one operator, as a page of Markdown; globs select specifications.")
def diff(specs: tuple[str, ...], everything: bool) -> None:
    """Show the smallest calls on which two specifications disagree."""
    if not everything and len(specs) != 2:
        raise click.UsageError("Name two specifications, or --all.")
    _show(page(_matching(specs), specs) if everything else _differing(specs))


def _matching(patterns: Sequence[str]) -> list[Spec]:
    """Return the specifications that match some pattern, all without a pattern.

    Raises SpecError if none matches.
    """
    chosen = _chosen(spec_names(), patterns)
    if not chosen:
        raise SpecError(f"{', '.join(patterns)} matches no specification; {there_are(patterns[0])}")
    return [load_spec(name) for name in chosen]


def _chosen(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    return [name for name in names if any(matches(name, pattern) for pattern in patterns or ("*",))]


@commands.command()
@click.argument("spec")
@click.option("--cases", "paths", multiple=True, type=click.Path(exists=True, path_type=Path), metavar="PATH",
              help="Files or folders of cases, whose documented examples have 'example' in their ids; repeatable. "
              "Default: those of the suite.")
def examples(spec: str, paths: tuple[Path, ...]) -> int:
    """Check a specification's printed examples against its own clauses.

    Exit status: 0 if every example conforms or is corrected by an erratum, 1 otherwise.
    """
    from plumbline.cases import load_cases  # on demand: reading cases takes long
    from plumbline.cases.documents.examples import examples_of, lines, unexplained
    specs = specs_named(spec)
    cases = load_cases(paths or None, [each.name for each in specs])
    documented = [each for each in specs if examples_of(each, cases)]
    if not documented:
        raise SpecError(f"{spec} has no documented example among the cases")
    _show([line for each in documented for line in lines(each, cases)])
    return int(any(unexplained(each, cases) for each in documented))


@commands.command()
@click.argument("specs", nargs=-1, metavar="[GLOB...]")
@click.option("--record", "records", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Add the requirements, with their results in a record of plumbline conformance; repeatable.")
def errata(specs: tuple[str, ...], records: tuple[Path, ...]) -> None:
    """Write the issues of specifications as Markdown, ready to send.

    The issues are errata by class with their evidence, and what is unspecified. With --record the page has every
    requirement too, with the tags of its source, its cases, and results by backend. GLOB selects specifications, such
    as 'sonnx/*'; default all.
    """
    from plumbline.cases import load_cases  # as above
    from plumbline.cases.documents.issues import page as issues
    general = general_texts()
    of_models = [general[name] for name in _chosen(general, specs)]
    of_operators = _matching(specs) if _chosen(spec_names(), specs) or not of_models else []
    chosen: list[Spec | SpecText] = [*of_operators, *of_models]
    if records:
        from plumbline.reports.requirements import page as requirements
        from plumbline.trial.record.recording import read_records
        read = read_records(records)  # before the cases, which takes longer
    cases = load_cases(None, [spec.name for spec in of_operators]) if of_operators else []
    _show(list(requirements(chosen, cases, read, specs) if records else issues(chosen, cases, specs)))


@commands.command()
@click.argument("models", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="MODEL.onnx|DIR...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def census(models: tuple[Path, ...], as_json: bool) -> int:
    """Count the operators that models use, and say which have a specification and which would add most.

    A folder stands for the .onnx files in it and below. Nodes of subgraphs and of functions that a model brings are
    counted; Constant nodes count as data.

    Exit status: 0 all models were counted, 2 some could not be read.
    """
    from plumbline.oracle.check.census import as_lines, as_object  # it needs onnx
    from plumbline.oracle.check.census import census as count_nodes

    counted = count_nodes([path for model in models for path in _models_in(model)])
    if counted.models:
        _show([json.dumps(as_object(counted), indent=2)] if as_json else map(safe, as_lines(counted)))
    for error in counted.errors:
        click.echo(error, err=True)
    return FAILED if counted.errors else 0


def _models_in(path: Path) -> list[Path]:
    """Return the models in a folder, or the path itself where it is none, or holds none: what is wrong is said."""
    return (sorted(path.rglob("*.onnx")) if path.is_dir() else []) or [path]


@commands.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--spec", "specs", multiple=True, default=("onnx/*",), metavar="GLOB",
              help="sonnx/maxpool, sonnx/*, onnx/maxpool@12, ...; repeatable. Without @VERSION: the version in force "
              "at the model's opset. Default: onnx/*.")
@click.option("--size", "sizes", multiple=True, metavar="SYMBOL=N", help="An open size of the model's inputs, as "
              "INPUT.AXIS=N where it has no symbol; repeatable.")
@click.option("--json", "as_object", is_flag=True, help="One JSON object; plumbline/oracle/check/__init__.py describes "
              "its keys.")
@click.option("--allow-undecided", is_flag=True, help="Exit with 0 instead of 3.")
def check(model: Path, specs: tuple[str, ...], sizes: tuple[str, ...], as_object: bool, allow_undecided: bool) -> int:
    """Check which nodes of a model are inside a specification.

    For every node outside, the report names the broken clauses and a repair, and for a whole family, such as onnx/*,
    the operators without a specification. Exit status: 0 if every node is inside, 1 if some node breaks a clause, 2 if
    the model cannot be read or has no node to check, 3 if some node is undecided or has no specification and none
    breaks a clause.
    """
    from plumbline.oracle.check import ModelError, as_json, as_text, check  # on demand: only this command needs onnx
    try:
        report = check(model, list(specs), dict(map(size_of, sizes)))
    except ModelError as error:
        raise click.ClickException(str(error)) from None
    status = report.status(allow_undecided)
    _show([json.dumps(as_json(report, status), indent=2)] if as_object else as_text(report))
    return status


def _show(lines: Sequence[str] | Iterator[str]) -> None:
    """Print lines, but nothing if making one of them fails."""
    print("\n".join(lines))


def _differing(names: Sequence[str]) -> Iterator[str]:
    first_ones, second_ones = map(specs_named, names)
    pairs = list(combinations(first_ones, 2) if names[0] == names[1] else product(first_ones, second_ones))
    for first, second in pairs:
        if len(pairs) > 1:
            yield f"{first.name} and {second.name}"
        differing = differences(first, second)
        for difference in differing:
            yield f"{difference.kind}: {call_line(difference.call)}"
            yield from (f"  {clause}: {why}" for clause, why in zip(difference.clauses, difference.why, strict=True))
        yield from stated_by_one(first, second)
        yield f"{len(differing) or 'no'} difference{'s' if len(differing) != 1 else ''} within {bound_line()}"


def _explained(address: str) -> Iterator[str]:
    name = address.partition("#")[0]
    spec = general_texts().get(name) or (profile_named(name.partition("/")[2]) if is_of_profile(name) else
                                         _stating(address))
    local = address.partition("#")[2]
    clauses = [clause for clause in spec.clauses.values() if local == clause.local or local in clause.tags]
    if not clauses:
        known = [clause.local for clause in spec.clauses.values()]
        wrong = (f"no clause {full_address(spec.name, local)!r}{did_you_mean(local, known)}" if local else
                 f"{len(known)} clauses; name one, as in {spec.name}#{known[0]}")
        raise SpecError(f"{spec.name} has {wrong}{'' if wrong.endswith('?') else ';'} "
                        f"plumbline list {spec.name} shows them")
    for clause in clauses:
        yield from _stated(spec, clause)


def _stated(spec: Spec | SpecText, clause: Clause) -> Iterator[str]:
    yield f"{clause.address}  {clause.title} ({clause.kind})"
    yield from textwrap.wrap(clause.statement, 100, initial_indent="  ", subsequent_indent="  ")
    facts = {"source": clause.source, "tags there": ", ".join(clause.tags), "derived": clause.derived,
             "judges": clause.judges, "restates": clause.restates,
             "implies": ", ".join(clause.implies), "editorial": clause.editorial,
             "holds for versions": _versions(spec, clause),
             "computed": evidence_of(spec).get(clause.address) if clause.kind == "erratum" else None,
             "stated at": f"{_shown(clause.page or spec.path)}, line {clause.line}", "edition": spec.edition}
    yield from (f"  {name}: {text}" for name, text in facts.items() if text)


def _stating(address: str) -> Spec:
    """Return the specification of an address.

    Of a specification named without its version, the last version with the clause.
    """
    name, _, local = address.partition("#")
    versions = [load_spec(known) for known in spec_names() if known.startswith(f"{name}@")]
    with_clause = [spec for spec in versions if full_address(spec.name, local) in spec.clauses]
    return (with_clause or versions or [load_spec(name)])[-1]


def _shown(path: Path) -> Path:
    """Return a path relative to the clone, if it is inside."""
    root = SPEC_FOLDER.parent
    return path.relative_to(root) if path.is_relative_to(root) else path


def _versions(spec: Spec | SpecText, clause: Clause) -> str:
    """Return the versions of a clause, as in ``10, 11 of 1, 8, 10, 11``."""
    versions = [version for version in spec.versions if clause.versions is None or version in clause.versions]
    return f"{', '.join(map(str, versions))} of {', '.join(map(str, spec.versions))}" if versions else ""
