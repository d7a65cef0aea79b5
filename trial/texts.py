"""One call, several texts: the verdict under every other specification whose domain the call is in.

A divergence here accuses nobody, since the backend need not claim to follow that text; it shows which text it follows.
"""

from __future__ import annotations

from functools import cache

from plumbline.backends import Answered, Outcome, Raised
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.specification import operators
from plumbline.trial.judge import judge_inside
from plumbline.trial.record import Also


@cache
def _texts(operator: str) -> tuple[Spec, ...]:
    """The specifications of an operator."""
    return tuple(map(load_spec, operators().get(operator, ())))


def elsewhere(spec: Spec, call: Call, outcome: Outcome) -> dict[str, Also]:
    """Verdict and clauses by specification, of those other than `spec` that have the outputs asked for and hold the
    call; {} where there was neither an answer nor a refusal."""
    found: dict[str, Also] = {}
    if not isinstance(outcome, (Answered, Raised)):
        return found
    for other in _texts(call.operator):
        if other.name == spec.name or not set(call.outputs or spec.outputs) <= set(other.outputs):
            continue
        if not other.takes(tuple(call.inputs)):  # inputs of a later version
            continue
        reading = other.judged(call.asking_for(*(call.outputs or spec.outputs)))
        if not reading.violations:
            verdict = judge_inside(reading, outcome)
            found[other.name] = Also(verdict=verdict.verdict, clauses=list(verdict.clauses))
    return found
