"""What the cases of a specification must try: every clause, on either side where it has two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plumbline.cases.format.case import Case
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.oracle import Clause, load_spec


def untried(clause: Clause, cases: Sequence[Case]) -> str | None:
    """What is to be written where no case tries the clause as it must be, None where one does.

    A clause on calls has a case that keeps it and one that breaks it alone, with what follows from it; a clause on
    outputs has a case with values; an unspecified clause has a call that it applies to; an erratum shows what it says.
    A clause that restates another is tried with that one. `cases` may hold those of other specifications too."""
    if clause.restates:
        return None
    theirs = [case for case in cases if case.spec == clause.specification]
    of_kind = {"unspecified": _silence, "erratum": _erratum}
    return of_kind.get(clause.kind, _call if clause.judges == "call" else _outputs)(clause, theirs)


def gaps(name: str, cases: Sequence[Case]) -> Iterator[str]:
    """One line for each clause of the specification that is not tried."""
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
    if any(clause.address in found and found <= consequences for found in broken):
        return None
    return "write a case that breaks it and nothing else"


def _outputs(clause: Clause, cases: list[Case]) -> str | None:
    consequences = load_spec(clause.specification).consequences(clause.address)
    if any(case.expectation.kind == "outputs" and consequences & set(case.clauses)
           and clause.address in tried_by(case) for case in cases):
        return None
    return "write a case with outputs that names it, and of which some wrong output would break it"


def _silence(clause: Clause, cases: list[Case]) -> str | None:
    spec = load_spec(clause.specification)
    if any(clause.address in case.clauses and clause.address in spec.unspecified_clauses(case.call) for case in cases):
        return None
    return "write a case that names it, with a call that it leaves open"


def _erratum(clause: Clause, cases: list[Case]) -> str | None:
    evidence = load_spec(clause.specification).evidence()
    if bool(evidence.get(clause.address)) != bool(clause.editorial):
        return None
    return "bind its evidence, or say in a field 'editorial' why no value depends on it"
