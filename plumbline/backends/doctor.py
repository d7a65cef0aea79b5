"""Try a few calls of each specification that a backend supports.

Plain calls check it, drawn calls count what it supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from plumbline.backends.capabilities import is_asked
from plumbline.backends.declared_limits import Asking
from plumbline.backends.hosts import Host
from plumbline.backends.outcomes import Answered, Hung, Outcome, Raised, in_words
from plumbline.backends.request import to_request
from plumbline.cases import Case, generate_cases
from plumbline.cases.format.flags import OF_VALUES
from plumbline.oracle import Call, Spec, load_spec, spec_names
from plumbline.oracle.answers import Divergence
from plumbline.oracle.disagreement_page import call_line
from plumbline.oracle.type_names import name_of

PLAIN = 3
"""Plain calls of a specification in an examination."""

MANY = 12
"""Specifications beyond which one plain call of each is enough."""

DRAWN, DRAWN_OF_MANY = 48, 12
"""Generated calls among which plain ones are looked for: of few specifications, and of many."""

CALLS = 8
"""Generated calls of a specification that are run."""


@dataclass(frozen=True)
class Answer:
    """The result of a plain call: why it is wrong, refused, or missing otherwise, "" where it is right."""

    spec: str
    call: Call
    wrong: str = ""
    refused: str = ""
    failed: str = ""

    @property
    def fault(self) -> str:
        """The fault in one line, "" if there is none."""
        return self.wrong or self.refused or self.failed


def examined(host: Host, time_limit: float = 20.0) -> Iterator[Answer]:
    """Yield the answers to plain calls of each specification's newest version.

    Plain calls are within the capabilities, and have neither special values nor empty tensors; types alternate, float32
    first. `time_limit` is in seconds for a call; a call that exceeds it is the last."""
    asking = Asking(host)
    newest = {name.partition("@")[0]: name for name in spec_names() if is_asked(host.identity.specifications, name)}
    few = len(newest) <= MANY
    for name in newest.values():
        spec, seen = load_spec(name), set[str]()
        for case in _plain(spec, DRAWN if few else DRAWN_OF_MANY):
            call = case.call.asking_for(*spec.forms[0])
            request = to_request(spec, call, case.opset, time_limit)
            dtype = name_of(next(iter(call.inputs.values())).dtype)
            if dtype in seen or not asking.is_named(spec.operator) or asking.undeclared(request) is not None:
                continue
            outcome, = asking.submit([request])
            if getattr(outcome, "gap", None) is not None:
                continue
            seen.add(dtype)
            wrong = spec.divergences(call, outcome.outputs) if isinstance(outcome, Answered) else ()
            refused = failed = ""
            if isinstance(outcome, Raised) and outcome.own:
                failed = f"a mistake in the class, not a refusal: {outcome.mistake(call.inputs)}, at {outcome.own}"
            elif isinstance(outcome, Raised):
                refused = in_words(outcome)
            elif not isinstance(outcome, Answered):
                failed = in_words(outcome)
            yield Answer(name, call, f"{wrong[0].why}{_given(wrong[0], outcome)}" if wrong else "", refused, failed)
            if isinstance(outcome, Hung):
                return
            if len(seen) == (PLAIN if few else 1):
                break


def _given(wrong: Divergence, outcome: Outcome) -> str:
    """Return which outputs were given, if the one asked for is missing."""
    return f"; {in_words(outcome)}" if isinstance(wrong.got, str) and wrong.got == "nothing" else ""


def _plain(spec: Spec, count: int) -> list[Case]:
    """Return those of `count` generated calls that are plain: float32 first, the shortest first.

    They are inside the domain, and hold no special values."""
    cases = [case for case in generate_cases(spec.name, seed=0, count=count) if case.call.inputs
             and not any(flag.partition("-in-")[0] in (*OF_VALUES, "empty") for flag in case.flags)
             and not spec.violations(case.call) and not spec.unspecified(case.call)]
    return sorted(cases, key=lambda case: (name_of(next(iter(case.call.inputs.values())).dtype) != "float32",
                                           len(call_line(case.call))))


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
