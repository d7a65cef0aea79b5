"""Which operators a backend supports, found out by asking: a few calls of each specification that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from plumbline.backends.capabilities import is_asked
from plumbline.backends.declared_limits import Asking
from plumbline.backends.hosts import Host
from plumbline.backends.outcomes import Answered, Raised, in_words
from plumbline.backends.request import to_request
from plumbline.cases import generate_cases
from plumbline.oracle import load_spec, spec_names

CALLS = 8
"""Calls of a specification that are put: plain ones, as generated."""


@dataclass
class Found:
    """What a backend did with the calls of one specification; only calls inside the domain are put.

    declared: how many of them it declares.
    answered: how many it answered, and `right`, how many of the answers keep the text.
    first:    the first refusal, or whatever else kept it from answering, in one line.
    """

    spec: str
    operator: str
    submitted: int = 0
    declared: int = 0
    answered: int = 0
    right: int = 0
    first: str = field(default="")

    def __str__(self) -> str:
        parts = [f"answers {self.answered} of {self.submitted} calls", f"{self.right} of them right",
                 f"declares {self.declared}", *([f"else: {self.first}"] if self.first else [])]
        return f"{self.operator} ({self.spec}): {', '.join(parts)}"


def supported(host: Host, calls: int = CALLS, seed: int = 0) -> Iterator[Found]:
    """What a backend that is ready does with each specification of the suite that it can be asked about."""
    asking = Asking(host)
    for name in spec_names():
        if is_asked(host.identity["specifications"], name):
            spec = load_spec(name)
            found = Found(name, spec.operator)
            inside = (case for case in generate_cases(name, seed=seed, count=8 * calls) if
                      not spec.violations(case.call))
            for case in islice(inside, calls):
                call = case.call.asking_for(*spec.forms[0])
                request = to_request(spec, call, case.opset)
                outcome, = asking.submit([request])
                found.submitted += 1
                found.declared += asking.undeclared(request) is None
                if isinstance(outcome, Answered):
                    found.answered += 1
                    found.right += not spec.divergences(call, outcome.outputs)
                elif not found.first or not isinstance(outcome, Raised):
                    found.first = in_words(outcome)
            yield found
