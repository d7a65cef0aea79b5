"""Judge an answer under every other specification that defines the call.

A divergence here accuses nobody, since the backend need not claim to follow that specification; it shows which
specification it follows.
"""

from __future__ import annotations

from functools import cache

from plumbline.backends import Answered, Outcome, Raised
from plumbline.oracle import Call, OutsideDomain, Spec, TooLarge, load_spec
from plumbline.oracle.call import is_of
from plumbline.oracle.specification import operators
from plumbline.trial.record.judge import judge_inside
from plumbline.trial.record.lines import Also

AT_ONCE = 2**20
"""Elements of a call that is judged under other texts at once."""


@cache
def _texts(operator: str) -> tuple[Spec, ...]:
    """The specifications of an operator."""
    return tuple(map(load_spec, operators().get(operator, ())))


def elsewhere(spec: Spec, call: Call, outcome: Outcome) -> dict[str, Also]:
    """Return verdict and clauses by name of specification, other than `spec`.

    call: with the outputs asked for; only specifications that have these, and whose clauses the call keeps, count. A
          large call is judged under those that can be computed in parts. {} for an outcome that is neither an answer
          nor a refusal."""
    found: dict[str, Also] = {}
    is_large = sum(tensor.size for tensor in call.inputs.values()) > AT_ONCE
    if not isinstance(outcome, (Answered, Raised)):
        return found
    for other in _texts(call.operator):
        if other.name == spec.name or not all(any(is_of(name, output) for output in other.outputs)
                                              for name in spec.asked(call)):
            continue
        if not other.takes(tuple(call.inputs)):  # inputs of a later version
            continue
        reading = other.judged(call.asking_for(*spec.asked(call)))
        if not reading.violations and not (is_large and reading.at_once > AT_ONCE):
            try:
                verdict = judge_inside(reading, outcome)
            except (OutsideDomain, TooLarge):  # as of a body whose nodes an earlier version does not have
                continue
            found[other.name] = Also(verdict=verdict.verdict, clauses=list(verdict.clauses))
    return found
