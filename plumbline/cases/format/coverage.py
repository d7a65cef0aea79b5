"""Find clauses that no case tests, or that cases test on one side only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plumbline.cases.format.case import Case
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.oracle import Clause, load_spec


def untried(clause: Clause, cases: Sequence[Case]) -> str | None:
    """Return in words which case is missing for a clause, None if none is.

    A clause on calls needs a case that keeps it, and one that breaks it and nothing but its consequences. A clause on
    outputs needs a case with values that tests it; a U clause, a call that it applies to; an erratum, evidence. A
    clause that restates another is tested by the cases of that other, and one that states a fact of the schema by
    generated cases. Cases of other specifications are ignored."""
    if clause.restates or clause.address in load_spec(clause.specification).facts:
        return None
    own = [case for case in cases if case.spec == clause.specification]
    checks = {"unspecified": _unspecified, "erratum": _erratum}
    return checks.get(clause.kind, _call if clause.judges == "call" else _outputs)(clause, own)


def gaps(name: str, cases: Sequence[Case]) -> Iterator[str]:
    """Yield a line for each clause of a specification that lacks a case."""
    for clause in load_spec(name).clauses.values():
        missing = untried(clause, cases)
        if missing is not None:
            yield f"{clause.address}: {missing}"


def _call(clause: Clause, cases: list[Case]) -> str | None:
    spec = load_spec(clause.specification)
    if not any(case.expectation.kind == "outputs" for case in cases):
        return "write a case that keeps it: one with outputs"
    consequences = spec.consequences(clause.address)
    broken = [{entry.clause for entry in spec.violations(case.call)} for case in cases
              if consequences & set(case.clauses)]
    if any(clause.address in addresses and addresses <= consequences for addresses in broken):
        return None
    return "write a case that breaks it and nothing else"


def _outputs(clause: Clause, cases: list[Case]) -> str | None:
    consequences = load_spec(clause.specification).consequences(clause.address)
    if any(case.expectation.kind == "outputs" and consequences & set(case.clauses)
           and clause.address in tried_by(case) for case in cases):
        return None
    return "write a case with outputs that names it, where some wrong output would break it"


def _unspecified(clause: Clause, cases: list[Case]) -> str | None:
    spec = load_spec(clause.specification)
    if any((case.generated or clause.address in case.clauses) and case.expectation.kind != "outside"
           and clause.address in spec.unspecified_clauses(case.call) for case in cases):
        return None
    return "write a case that names it, with a call that it applies to"


def _erratum(clause: Clause, cases: list[Case]) -> str | None:
    evidence = load_spec(clause.specification).evidence()
    if bool(evidence.get(clause.address)) != bool(clause.editorial):
        return None
    return "bind its evidence, or say in the field 'editorial' why no value depends on it"
