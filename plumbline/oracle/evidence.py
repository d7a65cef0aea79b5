"""Compute the evidence for the errata of a specification."""

from __future__ import annotations

from plumbline.oracle.clause import SpecError, full_address
from plumbline.oracle.discovery import module_of
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.predicates import Predicate
from plumbline.oracle.specification import Spec


def evidence_of(text: Spec | SpecText) -> dict[str, str]:
    """Return by address the computed contradiction of each E clause that values depend on.

    Raises SpecError if a specification of no operator and the functions of its module do not match."""
    if isinstance(text, Spec):
        return text.evidence()
    stated = {clause.local for clause in text.clauses.values() if clause.kind == "erratum" and not clause.editorial}
    found = vars(module_of(text.name, text.path)).values() if stated else ()
    bound = {value.clause: value.function for value in found if isinstance(value, Predicate)}
    if stated != bound.keys():
        raise SpecError(f"{text.path}: errata and evidence do not match: {', '.join(sorted(stated ^ bound.keys()))}")
    return {full_address(text.name, local): function() for local, function in bound.items()}
