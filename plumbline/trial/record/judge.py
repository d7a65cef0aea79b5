"""Decide the verdict on a backend's answer to a call.

No other module decides verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from plumbline.backends import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.foreign_text import NAME, one_line
from plumbline.cases import Case
from plumbline.cases.format.computed import CanonicalAnswer, CanonicalOutputs
from plumbline.cases.format.lint import contradiction
from plumbline.oracle import Call, Divergence, JudgedCall, Spec, load_spec
from plumbline.oracle.check.profiles import is_outside_profile
from plumbline.oracle.editions import in_words
from plumbline.oracle.type_names import name_of

VerdictName = Literal["conforms", "diverges", "rejects-valid", "rejects-invalid", "accepts-invalid", "outside-profile",
                      "crashes", "hangs", "unstable", "unsupported", "observed", "harness-error"]

VERDICTS: dict[VerdictName, str] = {
    "conforms": "every clause that judges the outputs is kept",
    "diverges": "the outputs break a clause",
    "rejects-valid": "a call inside the domain was refused",
    "rejects-invalid": "a call that breaks a constraint was refused; informational",
    "accepts-invalid": "a call that breaks a constraint was answered; informational",
    "outside-profile": "the call is legal ONNX outside the profile; the backend's behaviour is recorded",
    "crashes": "the process died during the call, and again in a fresh process (after the other calls named)",
    "hangs": "no answer within the time limit, nor in a fresh process (after the other calls named)",
    "unstable": "the same call was answered differently the second time, or an input or earlier output was overwritten",
    "unsupported": "refused, and outside the declared capabilities",
    "observed": "the specification does not define the result, or its published editions disagree; informational",
    "harness-error": "the suite could not run the call or read the answer",
}
"""The closed set of verdicts, with their meanings."""

ACCUSES = ("diverges", "rejects-valid", "crashes", "hangs", "unstable")
"""The verdicts that fail a run, unless they are known."""

ANSWERS = ("conforms", "diverges", "accepts-invalid", "outside-profile", "observed")
"""The verdicts on outputs; the last two also on refusals, which have a phase."""


def answers_nothing(results: Iterable[tuple[str, str | None]]) -> bool:
    """Return True if valid calls were refused and no call was answered. `results` are verdicts with their phases."""
    distinct = set(results)
    return (any(verdict == "rejects-valid" for verdict, _ in distinct)
            and not any(verdict in ANSWERS and phase is None for verdict, phase in distinct))


@dataclass(frozen=True, eq=False)
class Verdict:
    """A verdict, one of `VERDICTS`, with its grounds.

    clauses: for `diverges` the clauses that the outputs break; for a call outside the domain those that it breaks;
             for `observed` the U clauses that apply; where editions disagree the E clause that says so, then the
             clauses that the outputs would break without it.
    phase:   of a refusal: "check", "load" or "run".
    did:     the backend's behaviour in one line.
    again:   for `unstable` the outputs of the second time, if there were any.
    """

    verdict: VerdictName
    clauses: tuple[str, ...] = ()
    phase: str | None = None
    did: str = ""
    divergences: tuple[Divergence, ...] = ()
    again: Mapping[str, np.ndarray] | None = None


def judge(spec: Spec, case: Case, call: Call, outcome: Outcome) -> Verdict:
    """Return the verdict on an outcome of a case's call."""
    reading = spec.judged(call)
    broken = tuple(entry.clause for entry in reading.violations)
    if isinstance(outcome, Crashed):
        stderr = f"; stderr ends: {outcome.stderr}" if outcome.stderr else ""
        return Verdict("crashes", broken, did=f"{outcome.how}{stderr}")
    if isinstance(outcome, Hung):
        return Verdict("hangs", broken, did=f"no answer within {outcome.limit:g} s")
    if isinstance(outcome, Failed):
        return Verdict("harness-error", did=outcome.why)
    verdict = _judged(spec, case, reading, broken, outcome)
    allowed = ("conforms", "observed") if isinstance(case.expectation.outputs, CanonicalOutputs) else (
        ("conforms",) if case.generated else ())  # what a case expects that was derived is asked where it matters
    problem = None if verdict.verdict in allowed else contradiction(case)
    return verdict if problem is None else \
        Verdict("harness-error", did=f"the case contradicts the specification: it {problem}")


def _judged(spec: Spec, case: Case, reading: JudgedCall, broken: tuple[str, ...], outcome: Answered | Raised
            ) -> Verdict:
    if outcome.harm:
        return Verdict("unstable", broken, did=outcome.harm)
    phase, did = _behaviour(outcome)
    if broken:
        return Verdict(_outside(spec, reading.call, broken, outcome), broken, phase, did)
    if case.expectation.observe is not None:
        verdict = judge_inside(reading, outcome)  # elements that the U clauses leave defined are judged
        if verdict.verdict == "diverges":
            return verdict
        return Verdict("observed", _unspecified_clauses(reading), phase, did)
    return judge_inside(reading, outcome)


def canonical_verdict(case: Case, call: Call, outcome: Outcome) -> tuple[Verdict, CanonicalAnswer] | None:
    """Return the verdict on an answer that equals the canonical outputs.

    With what is recorded of these. None for any other outcome, and where an accuracy profile has bounds: `judge`
    compares these with the clauses."""
    answers = case.computed.answers if case.computed is not None else {}
    spec = load_spec(case.spec)
    canonical = answers.get(spec.form(call)) if not spec.bounds else None
    if canonical is None or not isinstance(outcome, Answered) or outcome.harm or outcome.accuracy is not None \
            or not canonical.equals(outcome.outputs):
        return None
    return verdict_on_outputs((), _behaviour(outcome)[1]), canonical


def judge_inside(reading: JudgedCall, outcome: Answered | Raised) -> Verdict:
    """Return the verdict on a call that breaks no clause.

    reading: the call under its specification; `outcome` is the backend's answer or error."""
    phase, did = _behaviour(outcome)
    if isinstance(outcome, Raised):
        if reading.may_refuse:
            return Verdict("observed", reading.may_refuse, phase, did)
        if outcome.own and not outcome.gap:
            return Verdict("harness-error", did=f"the adapter's own code failed: {outcome.own}: "
                                                f"{outcome.mistake(reading.call.inputs)}")
        if outcome.gap:
            return Verdict("unsupported", (), phase, f"{outcome.gap}; {did}" if outcome.message != outcome.gap else did)
        return Verdict("rejects-valid", (), phase, did)
    divergences = tuple(reading.divergences(outcome.outputs)) or _inaccurate(reading, outcome)
    if not divergences and (clauses := reading.disputed(outcome.outputs)):
        editions = "; ".join(f"{address} is {in_words(found)}" for address in clauses
                             if (found := reading.spec.clauses[address].editions))
        return Verdict("observed", clauses, None, f"{did}; disputed: {editions}")
    if not divergences and (reading.decides_nothing or reading.observes(outcome.outputs)):
        return Verdict("observed", _unspecified_clauses(reading), None, did)
    return verdict_on_outputs(divergences, did)


def _inaccurate(reading: JudgedCall, outcome: Answered) -> tuple[Divergence, ...]:
    """Return violations of the accuracy profile, at its clauses.

    Without a profile, of the declared accuracy, at the U clauses on accuracy."""
    if reading.spec.profile:
        return tuple(entry.divergence for entry in reading.comparisons(outcome.outputs) if entry.divergence)
    error = reading.measures(outcome.outputs).get("largest error in ulp", 0.0) if outcome.accuracy is not None else 0.0
    if outcome.accuracy is None or error <= outcome.accuracy:
        return ()
    declared, measured = f"at most {outcome.accuracy:g} ulp", f"{error:.3g} ulp"
    return tuple(Divergence(address, name, f"the largest error is {measured}, and {declared} was declared", None,
                            declared, measured)
                 for address, unspecified in reading.unspecified_by_clause.items()
                 for name, allowance in unspecified.outputs.items()
                 if allowance.observed and name in reading.asked)


def verdict_on_outputs(divergences: tuple[Divergence, ...], did: str = "") -> Verdict:
    """Return the verdict on judged outputs."""
    if divergences:
        return Verdict("diverges", tuple(entry.clause for entry in divergences), None, divergences[0].why, divergences)
    return Verdict("conforms", (), None, did)


def _unspecified_clauses(reading: JudgedCall) -> tuple[str, ...]:
    """Return the U clauses that apply to the outputs asked for."""
    return tuple(sorted(reading.unspecified_clauses))


def _behaviour(outcome: Answered | Raised) -> tuple[str | None, str]:
    """Return the phase of a refusal, and the behaviour in one line."""
    if isinstance(outcome, Raised):
        return outcome.phase, f"{outcome.type}: {' '.join(outcome.message.split())}"
    shapes = ", ".join(f"{one_line(name, NAME)} {name_of(array.dtype)}{list(array.shape)}"
                       for name, array in outcome.outputs.items())
    return None, f"gave {shapes or 'nothing'}"


def _outside(spec: Spec, call: Call, broken: tuple[str, ...], outcome: Outcome) -> VerdictName:
    """Return the verdict on a call that breaks these clauses."""
    if is_outside_profile(spec, call, broken):
        return "outside-profile"
    return "rejects-invalid" if isinstance(outcome, Raised) else "accepts-invalid"
