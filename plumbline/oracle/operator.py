"""Import point for authors: all names that operator definitions need.

A definition is a class in `plumbline/oracle/operators/FAMILY/OPERATOR.py`, or beside the specification in a folder that
PLUMBLINE_SPECS names. Its clauses are methods marked with their address.
"""

from plumbline.oracle.answers import Wrong
from plumbline.oracle.definition import Choose, Operator, Symptom
from plumbline.oracle.predicates import (
    UNBOUND,
    Predicate,
    disputed,
    evidence,
    on_call,
    on_elements,
    on_outputs,
    unspecified,
)
from plumbline.oracle.unspecified import Allowance, Unspecified

__all__ = ["UNBOUND", "Allowance", "Choose", "Operator", "Predicate", "Symptom", "Unspecified", "Wrong", "disputed",
           "evidence", "on_call", "on_elements", "on_outputs", "unspecified"]
