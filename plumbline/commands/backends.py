"""Backends: the implementations that can be put on trial, and whether one of them is well."""

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
from plumbline.backends.registry import (
    ADAPTER_FOLDER,
    EMBEDDED,
    BackendError,
    adapter_names,
    find_backend,
    read_declared,
)
from plumbline.backends.releases import releases
from plumbline.backends.request import Request, to_request
from plumbline.commands.base import Commands
from plumbline.oracle import Call, Spec, load_spec, spec_names
from plumbline.trial.known.kernels import learned_capabilities
from plumbline.trial.record.recording import RecordError, read_record

CALLS = 3
DTYPES = ("float32", "float64", "int8", "float16", "uint8")
OPSET = 22
"""For a specification whose text belongs to no opset."""

Submission = tuple[Spec, Call, Request]
"""A call, the specification that it is judged under, and the request that it becomes."""

POOLING = ("MaxPool", "AveragePool")
KERNEL = {"kernel_shape": [2, 2], "pads": [0, 0, 0, 0], "strides": [1, 1]}
REST = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "storage_order": 0}


commands = Commands("backends", errors=(BackendError, RecordError, LookupError, OSError), help=__doc__)


@commands.command("list")
def list_() -> None:
    """List the adapters of the suite, where each runs, and what each can be asked."""
    for name in adapter_names():
        declared = read_declared(ADAPTER_FOLDER / f"{name.replace('-', '_')}.py")
        needs = ", ".join(declared.requirements)
        place = ("the suite's own environment; with ==VERSION in a private one" if name == EMBEDDED
                 else f"a private environment with {needs}")
        print(f"{name}\n    runs in {place}\n    can be asked about {', '.join(declared.specifications)}")
        for capability in declared.capabilities or ["every call"]:
            print(f"        {capability}")


@commands.command("releases")
@click.argument("name")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="The newest N alone.")
@click.option("--records", type=click.Path(path_type=Path), metavar="DIR",
              help="Leave out those of which this folder holds the record of a whole run.")
def releases_(name: str, last: int | None, records: Path | None) -> None:
    """List the releases of a backend as --backend takes them, oldest first: NAME==VERSION.

    With --records those that were not tried yet, as a job that runs every day asks for.
    """
    for version in releases(name)[-(last or 0):]:
        if records is None or not (records / f"{name}-{version}.jsonl").is_file():
            print(f"{name}=={version}")


@commands.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE",
              help="Where they go; it must not exist yet. Default: printed.")
def learn(record: Path, output: Path | None) -> None:
    """Write the capabilities of a backend from what a record says that it does not implement.

    Kernels of which every call was refused at load as not implemented are taken from what the backend declares. With
    --capabilities FILE such calls are `unsupported`, and the next run has findings alone.
    """
    text = learned_capabilities(read_record(record))
    if output is None:
        print(text, end="")
        return
    with output.open("x", encoding="utf-8") as file:
        file.write(text)
    print(output)


@commands.command()
@click.argument("name")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH",
              help="Interpreter of the environment that a MODULE[:CLASS] lives in.")
@click.option("--operators", is_flag=True, help="Also ask what it answers of each specification of the suite.")
def doctor(name: str, python: Path | None, operators: bool) -> int:
    """Set a backend up, put three calls that it declares, and say what is wrong if it fails.

    NAME is what --backend takes: an adapter, NAME==VERSION, MODULE, MODULE:CLASS, exec:COMMAND or stdio:COMMAND. The
    module must be installed, or in PYTHONPATH, of the interpreter that --python names, by default of this one. Exit
    status: 0 it is well, 1 it is not.
    """
    try:
        host = find_backend(name, python).start()
    except BackendError as error:
        print(error, file=sys.stderr)
        return 1
    identity = host.identity
    print(f"{identity} is ready (Python {identity.python}, numpy {identity.numpy})")
    asking = Asking(host)
    done, well = 0, True
    for spec, call, request in _varied(_requests(asking, identity.specifications)):
        outcome = asking.submit([request])[0]
        if getattr(outcome, "gap", None) is not None:
            continue
        wrong = spec.divergences(call, outcome.outputs) if isinstance(outcome, Answered) else ()
        well &= isinstance(outcome, Answered) and not wrong
        found = wrong[0].why if wrong else "right" if isinstance(outcome, Answered) else in_words(outcome)
        print(f"  {spec.name}, {request.operator} 2x2 of {request.inputs['X'].dtype.name}: {found}")
        done += 1
        if done == CALLS:
            break
    if operators:
        for support in supported(host):
            print(f"  {support}")
    host.close()
    if done < CALLS:
        print(f"  it declares {done} of the calls that the doctor knows")
    return 0 if well and done else 1


def _requests(asking: Asking, patterns: list[str]) -> Iterator[Submission]:
    """Nine rising values under a 2x2 kernel, of each type and in each specification, the newest texts first, so far as
    it is declared."""
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
    """The same with one of each operator and type first, then a second of each."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked = []
    for submission in submissions:
        kind = submission[1].operator, submission[1].inputs["X"].dtype.name
        ranked.append((seen[kind], submission))
        seen[kind] += 1
    return [submission for _, submission in sorted(ranked, key=lambda entry: entry[0])]
