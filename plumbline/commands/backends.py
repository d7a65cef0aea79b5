"""Backends: list the implementations that can be tested, check one."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
import numpy as np

from plumbline.backends.capabilities import is_asked
from plumbline.backends.declared_limits import Asking
from plumbline.backends.doctor import supported
from plumbline.backends.outcomes import Answered, in_words
from plumbline.backends.registry import EMBEDDED, BackendError, adapter_names, declared_by, find_backend
from plumbline.backends.releases import releases
from plumbline.backends.request import Request, to_request
from plumbline.cases import load_cases
from plumbline.commands.base import Commands
from plumbline.oracle import Call, Spec, load_spec, spec_names
from plumbline.trial.known.kernels import learned_capabilities
from plumbline.trial.record.recording import read_record
from plumbline.trial.tools.answers import answers, heading, markdown, required
from plumbline.trial.tools.bisection import chosen_case

CALLS = 3
DTYPES = ("float32", "float64", "int8", "float16", "uint8")
OPSET = 22
"""The opset of calls under a specification without versions."""

Submission = tuple[Spec, Call, Request]
"""A call, the specification that it is judged under, and the request that it becomes."""

POOLING = ("MaxPool", "AveragePool")
KERNEL = {"kernel_shape": [2, 2], "pads": [0, 0, 0, 0], "strides": [1, 1]}
REST = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "storage_order": 0}


commands = Commands("backends", help=__doc__)


@commands.command("list")
def list_() -> None:
    """List the adapters, with their environments and capabilities."""
    for name in adapter_names():
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
@click.argument("record", type=click.Path(path_type=Path))
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
    case, _ = chosen_case(load_cases(paths or None), case_id, spec, None)
    print(markdown([heading(load_spec(case.spec)), required(case), *answers(case, names, time_limit)]))


@commands.command()
@click.argument("name")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH",
              help="Interpreter of the environment of a MODULE[:CLASS].")
@click.option("--operators", is_flag=True, help="Also list the supported specifications.")
def doctor(name: str, python: Path | None, operators: bool) -> int:
    """Set up a backend, and check it on three calls.

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
    print(f"{identity} is ready (Python {identity.python}, numpy {identity.numpy})")
    asking = Asking(host)
    done, healthy = 0, True
    for spec, call, request in _varied(_requests(asking, identity.specifications)):
        outcome = asking.submit([request])[0]
        if getattr(outcome, "gap", None) is not None:
            continue
        wrong = spec.divergences(call, outcome.outputs) if isinstance(outcome, Answered) else ()
        healthy &= isinstance(outcome, Answered) and not wrong
        result = wrong[0].why if wrong else "right" if isinstance(outcome, Answered) else in_words(outcome)
        print(f"  {spec.name}, {request.operator} 2x2 of {request.inputs['X'].dtype.name}: {result}")
        done += 1
        if done == CALLS:
            break
    if operators:
        for support in supported(host):
            print(f"  {support}")
    host.close()
    if done < CALLS:
        print(f"  checked on {done} calls: its capabilities allow no more of those that this command knows")
    return 0 if healthy and done else 1


def _requests(asking: Asking, patterns: list[str]) -> Iterator[Submission]:
    """Small pooling calls within the declared capabilities.

    Nine increasing values under a 2x2 kernel, of each type and in each specification, the newest versions first.
    """
    specs = [load_spec(name) for name in reversed(spec_names()) if is_asked(patterns, name)]
    asked = [spec for spec in specs if spec.operator in POOLING]
    for dtype, spec in product(DTYPES, asked):
        x = np.arange(9).reshape(1, 1, 3, 3).astype(dtype)
        opset = int(spec.name.partition("@")[2] or OPSET)
        for attributes in ({**KERNEL, **REST}, KERNEL):
            call = Call(spec.operator, attributes, {"X": x}, ("Y",))
            if not spec.violations(call):
                request = to_request(spec, call, opset)
                if asking.undeclared(request) is None:
                    yield spec, call, request
                break


def _varied(submissions: Iterator[Submission]) -> list[Submission]:
    """Submissions reordered so that operators and types alternate."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked = []
    for submission in submissions:
        kind = submission[1].operator, submission[1].inputs["X"].dtype.name
        ranked.append((seen[kind], submission))
        seen[kind] += 1
    return [submission for _, submission in sorted(ranked, key=lambda entry: entry[0])]
