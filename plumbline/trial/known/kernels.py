"""Kernels that a runtime does not have: refusals at load that it marks as not implemented.

They are many and one cause: by operator, version and element type nothing was answered. A refusal is none of them where
another call of the same three was answered, since the kernel is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import onnx.defs

from plumbline.cases.format.writing import as_yaml
from plumbline.trial.record.judge import ANSWERS
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

MARKS = ("NotImplemented: ", "NotImplementedError: ")
"""How a refusal begins whose type says that something is not implemented. An adapter declares others, parts of what its
runtime says."""

NONE_MISSING = "no refusal at load is marked as not implemented, without another call of its kernel that was answered"


class Kernel(NamedTuple):
    """An operator since a version of its domain, for one element type of its first input."""

    operator: str
    version: int
    dtype: str


def missing_kernels(record: Record) -> dict[Kernel, list[CaseLine]]:
    """The refusals that are not known, by the kernel that the runtime does not have."""
    marks = record.header.backend.not_implemented
    answered, refused = set[Kernel](), dict[Kernel, list[CaseLine]]()
    for line in record.cases:
        if line.verdict in ANSWERS and line.phase is None:
            answered.add(_kernel(record, line))
        elif line.verdict == "rejects-valid" and line.phase == "load" and line.known is None and (
                line.did.startswith(MARKS) or any(mark in line.did for mark in marks)):
            refused.setdefault(_kernel(record, line), []).append(line)
    return {kernel: refused[kernel] for kernel in sorted(refused.keys() - answered)}


def _kernel(record: Record, line: CaseLine) -> Kernel:
    specification = record.header.specifications[line.spec]
    return Kernel(specification.operator, _first_opset(specification.operator, specification.domain or "", line.opset),
                  line.dtype)


def _first_opset(operator: str, domain: str, opset: int) -> int:
    """The opset from which on the operator is as in this one; this one where ONNX has no such operator."""
    try:
        since: int = onnx.defs.get_schema(operator, opset, domain).since_version
    except onnx.defs.SchemaError:
        return opset
    return since


def _last_opset(operator: str, first: int) -> int | None:
    """The last opset in which the operator is as in the first, None for every later one."""
    later = [schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
             if schema.domain == "" and schema.name == operator and schema.since_version > first]
    return min(later) - 1 if later else None


def table(missing: Mapping[Kernel, Sequence[CaseLine]]) -> list[tuple[str, int, str, int]]:
    """Rows of operator, version, element types and number of results."""
    rows: dict[tuple[str, int], Counter[str]] = {}
    for kernel, refused in missing.items():
        rows.setdefault((kernel.operator, kernel.version), Counter())[kernel.dtype] += len(refused)
    return [(*row, ", ".join(counts), counts.total()) for row, counts in rows.items()]


def learned_capabilities(record: Record) -> str:
    """What the backend declared, without the kernels that it does not have, as YAML. Raises LookupError where none is
    missing."""
    rows: dict[tuple[str, int], list[str]] = {}
    for kernel in missing_kernels(record):
        rows.setdefault((kernel.operator, kernel.version), []).append(kernel.dtype)
    if not rows:
        raise LookupError(f"{record.path}: {NONE_MISSING}")
    lacks = [{"operators": [operator], "opsets": [first, _last_opset(operator, first)], "dtypes": dtypes}
             for (operator, first), dtypes in rows.items()]
    declared: list[dict[str, Any]] = (record.header.backend.model_extra or {}).get("capabilities") or [{}]
    return as_yaml([_without(entry, lacks) for entry in declared])


def _without(entry: dict[str, Any], lacks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    operators = entry.get("operators")
    more = [lack for lack in lacks if operators is None or lack["operators"][0] in operators]
    return {**entry, "lacks": [*entry.get("lacks", []), *more]} if more else entry
