"""List the implementations that can be tested, and check one."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from plumbline.backends.capabilities import unmatched
from plumbline.backends.declarations import BackendError, adapter_names, declared_by
from plumbline.backends.doctor import Answer, examined, supported
from plumbline.backends.registry import EMBEDDED, find_backend
from plumbline.backends.releases import releases
from plumbline.commands.base import Commands
from plumbline.commands.records import one_record
from plumbline.oracle import load_spec
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.disagreement_page import call_line
from plumbline.reports.text import WIDTH
from plumbline.reports.words import clipped, count, first_few
from plumbline.trial.known.kernels import learned_capabilities
from plumbline.trial.record.recording import read_record
from plumbline.trial.tools.answers import answers, heading, markdown, required
from plumbline.trial.tools.bisection import cases_with, chosen_case

NAMED = 3
"""Specifications named in a line, and faulty ones that are shown."""

commands = Commands("backends", help=__doc__)


@commands.command("list")
@click.argument("name", required=False)
def list_(name: str | None) -> None:
    """List the adapters, one line each; with a NAME, its environment and capabilities."""
    for each in adapter_names() if name is None else ():
        declared = declared_by(each)
        needs = ", ".join(declared.requirements[:1]) or "installed"
        print(f"{each:24} {first_few(declared.specifications, 3):32} {needs}")
    if name is not None:
        if name not in adapter_names():
            raise BackendError(f"no backend is called {name!r}{did_you_mean(name, adapter_names())}")
        declared = declared_by(name)
        needs = ", ".join(declared.requirements)
        place = ("the suite's own environment; with ==VERSION in a private one" if name == EMBEDDED
                 else f"a private environment with {needs}")
        print(f"{name}\n    runs in {place}\n    can be asked about {', '.join(declared.specifications)}")
        for capability in declared.capabilities or ["every call"]:
            print(f"        {capability}")


@commands.command("releases")
@click.argument("name")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@click.option("--records", type=click.Path(path_type=Path), metavar="DIR",
              help="Leave out releases with a complete record in this folder.")
def releases_(name: str, last: int | None, records: Path | None) -> None:
    """List the releases of a backend, oldest first.

    Each line is NAME==VERSION, as --backend takes it. With --records DIR, only releases that were not tried yet, for a
    daily job.
    """
    for version in releases(name)[-(last or 0):]:
        if records is None or not (records / f"{name}-{version}.jsonl").is_file():
            print(f"{name}=={version}")


@commands.command()
@one_record
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE",
              help="A new output file; printed by default.")
def learn(record: Path, output: Path | None) -> None:
    """Write a backend's capabilities without the kernels it lacks.

    A kernel is lacking if the record shows that every call of it was refused at load as not implemented. With
    --capabilities FILE such calls are `unsupported`, so the next run reports only findings.
    """
    text = learned_capabilities(read_record(record))
    if output is None:
        print(text, end="")
        return
    with output.open("x", encoding="utf-8") as file:
        file.write(text)
    print(output)


@commands.command("answers")
@click.argument("case_id", metavar="CASE")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option("--spec", metavar="SPEC", help="Needed if several specifications have a case of that name.")
@click.option("--cases", "paths", type=click.Path(path_type=Path), multiple=True, metavar="PATH",
              help="Files or folders that CASE is in, instead of the suite's.")
@click.option("--time-limit", type=click.FloatRange(0, 86400, min_open=True), default=60.0, metavar="SECONDS",
              help="For one call; default 60.")
def answers_(case_id: str, names: tuple[str, ...], spec: str | None, paths: tuple[Path, ...],
             time_limit: float) -> None:
    """Print a table of what backends answer to one case.

    The first row has what the specification requires, with ? where it leaves something open; ✗ marks a wrong output.
    NAME is what --backend takes. Backends that are not set up yet are, first.
    """
    case, _ = chosen_case(cases_with(case_id, spec, paths or None), case_id, spec, None)
    print(markdown([heading(case), required(case), *answers(case, names, time_limit)]))


@commands.command()
@click.argument("name")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH",
              help="Interpreter of the environment of a MODULE[:CLASS].")
@click.option("--operators", is_flag=True, help="Also list the supported specifications.")
def doctor(name: str, python: Path | None, operators: bool) -> int:
    """Set up a backend, and check it on plain calls of each operator.

    NAME is what --backend takes: an adapter, NAME==VERSION, MODULE, MODULE:CLASS, exec:COMMAND or stdio:COMMAND. The
    module must be installed, or in PYTHONPATH, of the interpreter that --python names, by default of this one. Exit
    status: 0 if the check passes, 1 otherwise.
    """
    try:
        host = find_backend(name, python).start()
    except BackendError as error:
        print(error, file=sys.stderr)
        return 1
    identity = host.identity
    print(f"{identity} is ready" + (f" (Python {identity.python}, numpy {identity.numpy})" if identity.python != "none"
                                    else ""))
    given = list(examined(host))
    faulty = sorted((answer for answer in given if answer.fault), key=lambda each: not each.wrong)
    for note in (*unmatched(identity.specifications), *host.notes):
        print(note)
    print("\n".join(_diagnosis(name, given, faulty)))
    if operators:
        for support in supported(host):
            print(f"  {support}")
    host.close()
    return 0 if given and not faulty else 1


def _diagnosis(name: str, answers: Sequence[Answer], faulty: Sequence[Answer]) -> Iterator[str]:
    """Yield about ten lines: what was asked, what was right, what to do next.

    `name` is the backend on the command line; `faulty` are those `answers` that are wrong, refused or missing."""
    if not answers:
        yield ("nothing was asked: no plain call of its `specifications` is within its `capabilities`; "
               "see docs/plug-in-an-implementation.md")
        return
    wrong, refused, failed = (sum(map(bool, parts)) for parts in zip(
        *((answer.wrong, answer.refused, answer.failed) for answer in answers), strict=True))
    operators = {load_spec(answer.spec).operator for answer in answers}
    yield (f"asked {count(len(answers), 'plain call')} of {count(len(operators), 'operator')}: "
           f"{len(answers) - len(faulty)} right, {wrong} wrong, {refused} refused"
           + (f", {failed} failed" if failed else ""))
    right = Counter(answer.spec for answer in answers if answer not in faulty)
    if right:
        yield f"  right    {first_few([f'{spec} {calls}' for spec, calls in right.items()], NAMED)}"
    first_of = {answer.spec: answer for answer in reversed(faulty)}
    for answer in list(reversed(first_of.values()))[:NAMED]:
        about, most = f"{answer.spec}: {call_line(answer.call)}", WIDTH - 11
        about = textwrap.shorten(about, most, placeholder=" ...") if len(about) > most else about
        yield f"  {'wrong   ' if answer.wrong else 'refused ' if answer.refused else 'failed  '} {about}"
        yield f"           {clipped(answer.fault)}"
    if failed == len(answers):
        yield f"next: correct it, then plumbline backends doctor {shlex.quote(name)}"
        return
    chosen = faulty[0].spec if faulty else answers[0].spec
    yield f"next: plumbline conformance --backend {shlex.quote(name)} --spec {chosen}"
