"""Run the default calls in every configuration of ONNX Runtime; print the clauses that depend on the configuration.

    python -m tests.configurations [GLOB ...]           specifications; default the newest of each operator

Each call runs alone, without contexts. Answers are compared bit by bit, and only those that differ are judged.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatch

from plumbline.backends import Answered, Host, Request, find_backend, is_asked, to_request
from plumbline.backends.declarations import declared_by
from plumbline.backends.outcomes import Outcome
from plumbline.cases import Case, load_cases
from plumbline.cases.format.loader import files_about
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.commands.base import leave
from plumbline.oracle import load_spec, spec_names
from plumbline.trial.record.judge import ACCUSES, judge
from plumbline.trial.run.forms import forms

RUNTIME, BATCH = "onnxruntime", 64


def calls(name: str) -> Iterator[tuple[Case, str, Request]]:
    """The default calls of a specification: case, outputs, request."""
    spec, (files,) = load_spec(name), files_about([[name]])
    written = load_cases(files, [name])
    for case in [*written, *generated_cases(name, written, seed=0)]:
        for form in forms(spec):
            with suppress(ValueError):  # a type of no model
                yield case, form, to_request(spec, case.call.asking_for(*form.split("+")), case.opset)


def outcomes(host: Host, requests: Sequence[Request]) -> Iterator[Outcome]:
    """Outcomes of requests on one host."""
    for start in range(0, len(requests), BATCH):
        batch = requests[start:start + BATCH]
        answers = host.run_many(batch)
        yield from answers if isinstance(answers, list) else map(host.run, batch)


def bits(outcome: Outcome) -> object:
    """Return the comparable part of an outcome."""
    if not isinstance(outcome, Answered):
        return type(outcome), getattr(outcome, "phase", "")
    return [(name, str(array.dtype), array.shape, repr(array.tolist()) if array.dtype == object else array.tobytes())
            for name, array in sorted(outcome.outputs.items())]


def main() -> int:
    """Print by configuration how many calls have other bits, and the clauses broken there alone."""
    globs = sys.argv[1:]
    declared = declared_by(RUNTIME)
    names = [name for name in spec_names() if is_asked(declared.specifications, name) and (
        any(fnmatch(name, glob) for glob in globs) if globs else load_spec(name).is_newest)]
    hosts = {named: find_backend(named).start() for named in
             (RUNTIME, *(f"{RUNTIME}@{each}" for each in declared.configurations))}
    number, other, alone = 0, Counter[str](), defaultdict[str, Counter[str]](Counter)
    for name in names:
        chosen, spec = list(calls(name)), load_spec(name)
        number += len(chosen)
        columns = {named: list(outcomes(host, [request for _, _, request in chosen])) for named, host in hosts.items()}
        for place, (case, form, _) in enumerate(chosen):
            first = columns[RUNTIME][place]
            for named, column in columns.items():
                if bits(column[place]) == bits(first):
                    continue
                other[named] += 1
                call = case.call.asking_for(*form.split("+"))
                verdict, before = (judge(spec, case, call, each) for each in (column[place], first))
                if verdict.verdict in ACCUSES:
                    alone[named].update({*verdict.clauses} - {*before.clauses} or {
                        f"{name} {verdict.verdict}"} - {f"{name} {before.verdict}"} - {f"{name} diverges"})
        print(f"{name}: {len(chosen)} calls", file=sys.stderr, flush=True)
    print(f"{number:,} calls of {len(names)} specifications")
    for named, host in hosts.items():
        host.close()
        print(f"{named}: other bits in {other[named]}; broken here alone: "
              f"{', '.join(f'{clause} ({count})' for clause, count in sorted(alone[named].items())) or 'nothing'}")
    return 0


if __name__ == "__main__":
    leave(main)
