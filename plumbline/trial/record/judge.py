"""The verdict on one outcome: the only place that says one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from plumbline.backends import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.foreign_text import NAME, one_line
from plumbline.cases import Case
from plumbline.cases.format.computed import CanonicalAnswer
from plumbline.cases.format.lint import contradiction
from plumbline.oracle import Call, Divergence, JudgedCall, Spec

VERDICTS = {
    "conforms": "every clause that judges the outputs is kept",
    "diverges": "the outputs break a clause",
    "rejects-valid": "a call inside the domain was refused",
    "rejects-invalid": "a call that breaks a constraint was refused; a row of a survey",
    "accepts-invalid": "a call that breaks a constraint was answered; a row of a survey",
    "outside-profile": "the call is legal ONNX outside the profile; what the backend did is recorded",
    "crashes": "the process ended during the call; in a fresh one too, unless it says which calls it takes before it",
    "hangs": "no answer came within the time limit; in a fresh process neither, unless it says which calls it takes",
    "unstable": "the same call was answered otherwise a second time, or an input or an earlier output was overwritten",
    "unsupported": "refused, as the backend had declared beforehand",
    "observed": "the text decides nothing here; what the backend did is recorded",
    "harness-error": "the suite could not put the call or read the answer",
}
"""The closed set, each with what it says."""

ACCUSES = ("diverges", "rejects-valid", "crashes", "hangs", "unstable")
"""The verdicts that fail a run unless they are known."""


ANSWERS = ("conforms", "diverges", "accepts-invalid", "outside-profile", "observed")
"""The verdicts on outputs; the last two also on a refusal, which then has its phase."""


def answers_nothing(results: Iterable[tuple[str, str | None]]) -> bool:
    """Whether valid calls were refused, and nothing at all was answered; of each result its verdict and phase."""
    seen = set(results)
    return (any(verdict == "rejects-valid" for verdict, _ in seen)
            and not any(verdict in ANSWERS and phase is None for verdict, phase in seen))


@dataclass(frozen=True, eq=False)
class Verdict:
    """One of `VERDICTS`, and what it rests on.

    clauses: for `diverges` the clauses that the outputs break; for a call outside the domain those that it breaks;
             for `observed` the U clauses that apply.
    phase:   of a refusal: "check", "load" or "run".
    did:     what the backend did, in one line.
    again:   for `unstable` the outputs that came the other time, where there were any.
    """

    verdict: str
    clauses: tuple[str, ...] = ()
    phase: str | None = None
    did: str = ""
    divergences: tuple[Divergence, ...] = field(default=())
    again: Mapping[str, np.ndarray] | None = None


def judge(spec: Spec, case: Case, call: Call, outcome: Outcome) -> Verdict:
    """The verdict on what a backend did with `call`, the case's call in one form."""
    reading = spec.judged(call)
    broken = tuple(entry.clause for entry in reading.violations)
    if isinstance(outcome, Crashed):
        stderr = f"; stderr ends: {outcome.stderr}" if outcome.stderr else ""
        return Verdict("crashes", broken, did=f"{outcome.how}{stderr}")
    if isinstance(outcome, Hung):
        return Verdict("hangs", broken, did=f"no answer within {outcome.limit:g} s")
    if isinstance(outcome, Failed):
        return Verdict("harness-error", did=outcome.why)
    problem = contradiction(case)
    if problem is not None:
        return Verdict("harness-error", did=f"the case contradicts the specification: it {problem}")
    if outcome.harm:
        return Verdict("unstable", broken, did=outcome.harm)
    phase, did = _what_was_done(outcome)
    if broken:
        return Verdict(_outside(spec, broken, outcome), broken, phase, did)
    if case.expectation.observe is not None:
        verdict = judge_inside(reading, outcome)  # what the unspecified clause leaves judged is judged
        return verdict if verdict.verdict == "diverges" else Verdict("observed", _silent(reading), phase, did)
    return judge_inside(reading, outcome)


def canonical_verdict(case: Case, call: Call, outcome: Outcome) -> tuple[Verdict, CanonicalAnswer] | None:
    """The verdict on an answer that equals canonical outputs computed before, and what is recorded of these; None for
    any other outcome, which `judge` compares with the clauses."""
    answers = case.computed.answers if case.computed is not None else {}
    canonical = answers.get("+".join(call.outputs or ()))
    if canonical is None or not isinstance(outcome, Answered) or outcome.harm or outcome.accuracy is not None \
            or not canonical.equals(outcome.outputs):
        return None
    return verdict_on_outputs((), _what_was_done(outcome)[1]), canonical


def judge_inside(reading: JudgedCall, outcome: Answered | Raised) -> Verdict:
    """The verdict on a call inside the domain that was answered or refused."""
    phase, did = _what_was_done(outcome)
    if isinstance(outcome, Raised):
        if reading.may_refuse:
            return Verdict("observed", reading.may_refuse, phase, did)
        return Verdict("unsupported" if outcome.gap else "rejects-valid", (), phase, outcome.gap or did)
    divergences = tuple(reading.divergences(outcome.outputs)) or _inaccurate(reading, outcome)
    if not divergences and (reading.decides_nothing or reading.observes(outcome.outputs)):
        return Verdict("observed", _silent(reading), None, did)
    return verdict_on_outputs(divergences, did)


def _inaccurate(reading: JudgedCall, outcome: Answered) -> tuple[Divergence, ...]:
    """The accuracy that the backend declared and did not keep, at the clause that leaves accuracy open."""
    error = reading.measures(outcome.outputs).get("largest error in ulp", 0.0) if outcome.accuracy is not None else 0.0
    if outcome.accuracy is None or error <= outcome.accuracy:
        return ()
    declared, found = f"at most {outcome.accuracy:g} ulp", f"{error:.3g} ulp"
    return tuple(Divergence(address, name, f"the largest error is {found}, and {declared} was declared", None, declared,
                            found)
                 for address, unspecified in reading.unspecified_by_clause.items()
                 for name, allowance in unspecified.outputs.items()
                 if allowance.observed and name in reading.asked)


def verdict_on_outputs(divergences: tuple[Divergence, ...], did: str = "") -> Verdict:
    """The verdict on outputs of which something is judged."""
    if divergences:
        return Verdict("diverges", tuple(entry.clause for entry in divergences), None, divergences[0].why, divergences)
    return Verdict("conforms", (), None, did)


def _silent(reading: JudgedCall) -> tuple[str, ...]:
    """The U clauses that leave something of the outputs asked for open."""
    return tuple(sorted(reading.unspecified_clauses))


def _what_was_done(outcome: Answered | Raised) -> tuple[str | None, str]:
    if isinstance(outcome, Raised):
        return outcome.phase, f"{outcome.type}: {' '.join(outcome.message.split())}"
    shapes = ", ".join(f"{one_line(name, NAME)} {array.dtype.name}{list(array.shape)}"
                       for name, array in outcome.outputs.items())
    return None, f"gave {shapes or 'nothing'}"


def _outside(spec: Spec, broken: tuple[str, ...], outcome: Outcome) -> str:
    """A clause that restates a restriction is one."""
    clauses = [spec.clauses[address] for address in broken]
    if all(spec.clauses[clause.restates or clause.address].tag.startswith("R") for clause in clauses):
        return "outside-profile"
    return "rejects-invalid" if isinstance(outcome, Raised) else "accepts-invalid"


