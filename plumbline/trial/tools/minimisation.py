"""Find the smallest call with the fault of a line of a record.

The backend is started again and runs smaller calls. A smaller call counts only if it shows the same fault: the same
verdict, the same first broken clause, and the same symptoms (`trial.known.symptoms`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from plumbline.backends import Asking, Host
from plumbline.cases import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.judge import ACCUSES, Verdict, VerdictName, judge
from plumbline.trial.run.submission import Calls
from plumbline.trial.tools.shrinking import smallest

ATTEMPTS = 2000
"""Most calls of one minimisation; a generated call takes a few hundred."""


class MinimiseError(ValueError):
    """A case that cannot be minimised; the text is one line."""


@dataclass(frozen=True)
class Fault:
    """The fault or observation that a smaller call must share.

    clause:   the first broken clause that restates no other, or the first unspecified clause; None if there is neither.
    kind:     of a refusal: its phase and the type of the error.
    symptoms: symptoms of all wrong elements."""

    verdict: VerdictName
    clause: str | None = None
    kind: tuple[str | None, str] = (None, "")
    symptoms: frozenset[str] = frozenset()

    @classmethod
    def of(cls, spec: Spec, call: Call, verdict: Verdict) -> Fault:
        """Return the fault of a verdict on a call."""
        kind = (verdict.phase, verdict.did.partition(":")[0]) if verdict.phase else (None, "")
        if verdict.verdict == "rejects-valid":
            return cls(verdict.verdict, kind=kind)
        if verdict.verdict == "observed":
            return cls(verdict.verdict, next(iter(verdict.clauses), None), kind)
        parts = [part for part in verdict.divergences if not spec.clauses[part.clause].restates]
        return cls(verdict.verdict, parts[0].clause if parts else None,
                   symptoms=frozenset(symptoms_of(spec, call, verdict.divergences)))

    def shows_in(self, other: Fault) -> bool:
        """Return True if another fault includes this one."""
        return replace(other, symptoms=self.symptoms) == self and self.symptoms <= other.symptoms


def minimised(host: Host, case: Case, form: str, time_limit: float, attempts: int = ATTEMPTS,
              seconds: float = math.inf) -> Case:
    """Return the case with the smallest call that shows its fault.

    form:       the outputs asked for, "Y+Indices".
    time_limit: seconds for one call.
    attempts:   most calls that are tried.
    seconds:    after which the smallest so far is returned.

    Raises MinimiseError if the backend is neither accused nor observed on the case."""
    spec = load_spec(case.spec)
    calls = Calls(Asking(host), time_limit)

    def fault(call: Call) -> Fault:
        candidate = with_call(case, spec, call)
        return Fault.of(spec, call, judge(spec, candidate, call, calls.alone((candidate, form)).outcome))

    call = case.call.asking_for(*form.split("+"))
    original = fault(call)
    if original.verdict not in (*ACCUSES, "observed"):
        raise MinimiseError(f"{case.spec} {case.id} [{form}]: {host.identity} does not fail on it "
                            f"({original.verdict}), so there is no fault to minimise")
    shrunk = smallest(spec, call, _shows(spec, call, original, fault), attempts, seconds)
    small = with_call(case, spec, _whole(spec, shrunk))
    verb = "does" if original.verdict == "observed" else "fails"
    return replace(small, title=f"The smallest call found on which {host.identity} {verb} as on {case.id} [{form}]")


def _shows(spec: Spec, call: Call, original: Fault, fault: Callable[[Call], Fault]) -> Callable[[Call], bool]:
    """Return a predicate: a smaller call shows the original fault.

    A call outside the domain, or with more unspecified outputs, does not, and is not run. A crash or a hang counts
    everywhere."""
    if original.verdict in ("crashes", "hangs"):
        return lambda smaller: original.shows_in(fault(smaller))
    unspecified = set(spec.unspecified(call))
    return lambda smaller: (not spec.violations(smaller) and unspecified.issuperset(spec.unspecified(smaller))
                            and original.shows_in(fault(smaller)))


def with_call(case: Case, spec: Spec, call: Call) -> Case:
    """Return the case with another call and its expectation."""
    broken = tuple(entry.clause for entry in spec.violations(call))
    expectation = Expectation(outside=broken) if broken else Expectation(outputs=spec.expected(_whole(spec, call)))
    return replace(case, call=call, expectation=expectation, flags=flags_of(spec, call))


def _whole(spec: Spec, call: Call) -> Call:
    """Return the call with all outputs; of a variadic output the number stays."""
    return call if spec.variadic_output else replace(call, outputs=None)
