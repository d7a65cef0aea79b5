"""Finds the smallest call on which a backend still does what a line of a record says it did.

The backend is started again and asked; what it does with a smaller call counts only when it is the same fault: the
same verdict, the same clause broken first, and elements that are wrong in the same way (`trial.symptoms`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from plumbline.backends import Asking, Host
from plumbline.cases import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.judge import ACCUSES, Verdict, judge
from plumbline.trial.run.submission import Calls
from plumbline.trial.tools.shrinking import smallest

ATTEMPTS = 2000
"""Calls that a backend is asked at most for one minimisation; a call from the generator takes a few hundred."""


class MinimiseError(ValueError):
    """What cannot be minimised; the text is one line."""


@dataclass(frozen=True)
class Fault:
    """What stays the same from one call to a smaller one; of a call that the text leaves open, what was observed.

    clause:   the first broken clause that is no restatement, or the first that leaves the outputs open; None where
              there is neither.
    kind:     of a refusal: its phase and the type of the error.
    symptoms: those that all wrong elements show."""

    verdict: str
    clause: str | None = None
    kind: tuple[str | None, str] = (None, "")
    symptoms: frozenset[str] = frozenset()

    @classmethod
    def of(cls, spec: Spec, call: Call, verdict: Verdict) -> Fault:
        """The fault that a verdict on a call is about."""
        kind = (verdict.phase, verdict.did.partition(":")[0]) if verdict.phase else (None, "")
        if verdict.verdict == "rejects-valid":
            return cls(verdict.verdict, kind=kind)
        if verdict.verdict == "observed":
            return cls(verdict.verdict, next(iter(verdict.clauses), None), kind)
        parts = [part for part in verdict.divergences if not spec.clauses[part.clause].restates]
        return cls(verdict.verdict, parts[0].clause if parts else None,
                   symptoms=frozenset(symptoms_of(spec, call, verdict.divergences)))

    def shows_in(self, other: Fault) -> bool:
        """Whether another fault is this one."""
        return replace(other, symptoms=self.symptoms) == self and self.symptoms <= other.symptoms


def minimised(host: Host, case: Case, form: str, time_limit: float, attempts: int = ATTEMPTS) -> Case:
    """The case with its call as small as it gets. Raises MinimiseError when what the backend does with the case neither
    accuses it nor is observed."""
    spec = load_spec(case.spec)
    calls = Calls(Asking(host), time_limit)

    def fault(call: Call) -> Fault:
        tried = with_call(case, spec, call)
        return Fault.of(spec, call, judge(spec, tried, call, calls.alone((tried, form)).outcome))

    call = case.call.asking_for(*form.split("+"))
    wanted = fault(call)
    if wanted.verdict not in (*ACCUSES, "observed"):
        raise MinimiseError(f"{case.spec} {case.id} [{form}]: {host.identity} does "
                            f"not fail on it ({wanted.verdict}), so there is nothing to keep while it shrinks")
    found = smallest(spec, call, _while(spec, call, wanted, fault), attempts)
    small = with_call(case, spec, Call(found.operator, found.attributes, found.inputs))
    who = str(host.identity)
    did = "does" if wanted.verdict == "observed" else "fails"
    return replace(small, title=f"The smallest call found on which {who} {did} as on {case.id} [{form}]")


def _while(spec: Spec, call: Call, wanted: Fault, fault: Callable[[Call], Fault]) -> Callable[[Call], bool]:
    """Whether a call shows the fault of `call`. One outside the domain, or with more outputs in part left open, shows
    none, and the backend is not asked about it; a crash or a hang is one anywhere."""
    if wanted.verdict in ("crashes", "hangs"):
        return lambda smaller: wanted.shows_in(fault(smaller))
    unspecified = set(spec.unspecified(call))
    return lambda smaller: (not spec.violations(smaller) and unspecified.issuperset(spec.unspecified(smaller))
                            and wanted.shows_in(fault(smaller)))


def with_call(case: Case, spec: Spec, call: Call) -> Case:
    """The case with another call, and what the specification expects of that."""
    broken = tuple(entry.clause for entry in spec.violations(call))
    whole = Call(call.operator, call.attributes, call.inputs)
    expectation = Expectation(outside=broken) if broken else Expectation(outputs=spec.expected(whole))
    return replace(case, call=call, expectation=expectation, flags=flags_of(spec, call))
