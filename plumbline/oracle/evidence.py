"""Errata of a text, computed: by the definition of its operator, and for a text of no operator by functions of its
module."""

from __future__ import annotations

from plumbline.oracle.clause import SpecError, full_address
from plumbline.oracle.discovery import module_of
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.predicates import Predicate
from plumbline.oracle.specification import Spec


def evidence_of(text: Spec | SpecText) -> dict[str, str]:
    """By address, for each E clause that values depend on, the contradiction computed on the spot. Raises SpecError
    where the clauses of a text of no operator and the functions of its module do not match."""
    if isinstance(text, Spec):
        return text.evidence()
    stated = {clause.local for clause in text.clauses.values() if clause.kind == "erratum" and not clause.editorial}
    found = vars(module_of(text.name, text.path)).values() if stated else ()
    bound = {value.clause: value.function for value in found if isinstance(value, Predicate)}
    if stated != bound.keys():
        raise SpecError(f"{text.path}: errata and evidence do not match: {', '.join(sorted(stated ^ bound.keys()))}")
    return {full_address(text.name, local): function() for local, function in bound.items()}
