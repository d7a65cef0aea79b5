"""Tell calls that break only a profile from calls that break ONNX.

A profile is a specification of an ONNX operator that narrows ONNX's own.

A call outside a profile is legal ONNX if ONNX's specification in force at its opset admits it, whichever clauses of the
profile it breaks: restrictions by their tag, or constraints that narrow ONNX, such as fewer element types.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from plumbline.oracle.binding import BoundSpec
from plumbline.oracle.call import Call
from plumbline.oracle.check.selection import in_force
from plumbline.oracle.specification import Spec


def is_outside_profile(spec: BoundSpec, call: Call, broken: Iterable[str]) -> bool:
    """Return True if a call that breaks these clauses of a profile is legal ONNX.

    `broken` has full addresses.
    Where the suite has no specification of ONNX for the operator, restrictions are known by their tags; a clause that
    restates a restriction counts as one."""
    onnx = _of_onnx(spec.operator, spec.opset) if spec.domain == "" and not spec.name.startswith("onnx/") else None
    if onnx is not None and onnx.takes(tuple(call.inputs)):
        return not onnx.violations(call)
    clauses = [spec.clauses[address] for address in broken]
    return all(spec.clauses[clause.restates or clause.address].tag.startswith("R") for clause in clauses)


@cache
def _of_onnx(operator: str, opset: int) -> Spec | None:
    return in_force(f"onnx/{operator.lower()}", opset)
