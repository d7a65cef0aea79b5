"""Find the kernels that a backend lacks.

They show as refusals at load that the runtime marks as not implemented.
They are many results with one root cause. A kernel, that is an operator in a version and element type, is missing only
if no call of it was answered.
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
"""Prefixes of refusals whose type means "not implemented"; adapters declare other marks."""

NONE_MISSING = "no kernel is missing: every refusal at load is unmarked, or another call of its kernel was answered"


class Kernel(NamedTuple):
    """An operator since an opset, for an element type of its first input."""

    operator: str
    version: int
    dtype: str


def missing_kernels(record: Record) -> dict[Kernel, list[CaseLine]]:
    """Return the new refusals by missing kernel."""
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
    """Return the opset that introduced this version of an operator. For an operator that ONNX lacks, return `opset`."""
    try:
        since: int = onnx.defs.get_schema(operator, opset, domain).since_version
    except onnx.defs.SchemaError:
        return opset
    return since


def _last_opset(operator: str, first: int) -> int | None:
    """Return the last opset with this version, None if current."""
    later = [schema.since_version for schema in onnx.defs.get_all_schemas_with_history()
             if schema.domain == "" and schema.name == operator and schema.since_version > first]
    return min(later) - 1 if later else None


def table(missing: Mapping[Kernel, Sequence[CaseLine]]) -> list[tuple[str, int, str, int]]:
    """Return rows of operator, version, element types and number of results."""
    rows: dict[tuple[str, int], Counter[str]] = {}
    for kernel, refused in missing.items():
        rows.setdefault((kernel.operator, kernel.version), Counter())[kernel.dtype] += len(refused)
    return [(*row, ", ".join(counts), counts.total()) for row, counts in rows.items()]


def learned_capabilities(record: Record) -> str:
    """Return the declared capabilities without missing kernels, as YAML. Raises LookupError if none is missing."""
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
    missing = [lack for lack in lacks if operators is None or lack["operators"][0] in operators]
    return {**entry, "lacks": [*entry.get("lacks", []), *missing]} if missing else entry
