"""Try a few calls of each specification that a backend supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from plumbline.backends.capabilities import is_asked
from plumbline.backends.declared_limits import Asking
from plumbline.backends.hosts import Host
from plumbline.backends.outcomes import Answered, Raised, in_words
from plumbline.backends.request import to_request
from plumbline.cases import generate_cases
from plumbline.oracle import load_spec, spec_names

CALLS = 8
"""Generated calls of a specification that are run."""


@dataclass
class Support:
    """A backend's answers to calls of one specification, all inside its domain.

    submitted: how many calls were run.
    declared:  how many of them are inside the declared capabilities.
    answered:  how many were answered.
    right:     how many answers conform to the specification.
    first:     the first refusal, or another failure in its place, in one line.
    """

    spec: str
    operator: str
    submitted: int = 0
    declared: int = 0
    answered: int = 0
    right: int = 0
    first: str = ""

    def __str__(self) -> str:
        parts = [f"answers {self.answered} of {self.submitted} calls", f"{self.right} of them right",
                 f"declares {self.declared}", *([f"else: {self.first}"] if self.first else [])]
        return f"{self.operator} ({self.spec}): {', '.join(parts)}"


def supported(host: Host, calls: int = CALLS, seed: int = 0) -> Iterator[Support]:
    """Yield the support of each specification of the backend."""
    asking = Asking(host)
    for name in spec_names():
        if is_asked(host.identity.specifications, name):
            spec = load_spec(name)
            support = Support(name, spec.operator)
            inside = (case for case in generate_cases(name, seed=seed, count=8 * calls) if
                      not spec.violations(case.call))
            for case in islice(inside, calls):
                call = case.call.asking_for(*spec.forms[0])
                request = to_request(spec, call, case.opset)
                outcome, = asking.submit([request])
                support.submitted += 1
                support.declared += asking.undeclared(request) is None
                if isinstance(outcome, Answered):
                    support.answered += 1
                    support.right += not spec.divergences(call, outcome.outputs)
                elif not support.first or not isinstance(outcome, Raised):
                    support.first = in_words(outcome)
            yield support
