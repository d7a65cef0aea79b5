"""A case in one form as a vector: what is put, and what conforms, in JSON that a program without Python reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.cases.corpus.allowed import Allowed, allowed
from plumbline.cases.format.case import Case
from plumbline.cases.generate.value_order import Row
from plumbline.oracle import Call, Spec
from plumbline.oracle.judgement import JudgedCall

SHOWN = 64
"""Elements of a tensor up to which its values are written as numbers too."""

RESULTS = {
    "valid": "The call is inside the domain: it is to be answered, with one of the answers.",
    "acceptable": "The text leaves open whether the call is inside the domain: it may be refused; if it is answered, "
                  "then with one of the answers.",
    "outside-profile": "The call breaks nothing but restrictions of a profile: answered or refused, nobody is accused.",
    "invalid": "The call breaks a constraint: answered or refused, nobody is accused.",
}
"""What is expected of an implementation. A crash and a hang are faults of it whatever the call."""


def vector(spec: Spec, case: Case, call: Call) -> dict[str, Any]:
    """The case in the form that `call` asks for."""
    judged = spec.judged(call)
    broken = [entry.clause for entry in judged.violations]
    found: dict[str, Any] = {
        "id": case.id, "form": "+".join(call.outputs), "comment": case.title, "result": result_of(judged),
        "flags": list(case.flags), "clauses": list(case.clauses), "source": case.source}
    if case.notes:
        found["notes"] = " ".join(case.notes.split())
    if broken:
        found["broken"] = broken
    elif judged.unspecified_by_clause:
        found["silences"] = list(judged.unspecified_by_clause)
    found |= {"operator": call.operator, "domain": spec.domain, "opset": case.opset,
              "attributes": {name: _plain(value) for name, value in sorted(call.attributes.items())},
              "inputs": {name: tensor(array) for name, array in call.inputs.items()}, "outputs": list(call.outputs)}
    if not broken:
        readings = [judged, *(JudgedCall(spec, call, reading) for unspecified in judged.unspecified_by_clause.values()
                              for reading in unspecified.readings)]
        answers = [{name: _output(allowed(reading, name, reading.definition)) for name in call.outputs}
                   for reading in readings]
        found["answers"] = [answer for at, answer in enumerate(answers) if answer not in answers[:at]]
    return found


def result_of(judged: JudgedCall) -> str:
    """One of `RESULTS`."""
    clauses = judged.spec.clauses
    if judged.violations:
        tags = {clauses[clauses[entry.clause].restates or entry.clause].tag[0] for entry in judged.violations}
        return "outside-profile" if tags == {"R"} else "invalid"
    return "acceptable" if judged.may_refuse else "valid"


def tensor(array: np.ndarray) -> dict[str, Any]:
    """Type, shape and elements; of few elements the values too."""
    row = Row(array.dtype.newbyteorder("="))
    found = {"type": array.dtype.name, "shape": list(array.shape), "data": row.bytes_of(array).hex()}
    if array.size <= SHOWN:
        found["values"] = [_number(value) for value in row.plain(array).reshape(-1)]
    return found


def _output(found: Allowed) -> dict[str, Any]:
    row = Row(found.canonical.dtype.newbyteorder("="))
    entry = tensor(found.canonical)
    start = row.places(found.canonical)
    if (found.low != start).any():
        entry["low"] = row.bytes_of(row.elements(row.values(found.low))).hex()
    if (found.high != start).any():
        entry["high"] = row.bytes_of(row.elements(row.values(found.high))).hex()
    if found.also:
        entry["also"] = [[part, *(row.bytes_of(row.values(np.array([place], np.uint64))).hex() for place in ends)]
                         for part, *ends in found.also]
    for name, parts in (("anything", found.anything), ("unsettled", found.unsettled)):
        if parts:
            entry[name] = list(parts)
    if found.open_shape:
        entry["open_shape"] = True
    return entry


def _number(value: Any) -> Any:
    """A value as JSON has it; what JSON has no number for is text."""
    kind = value.dtype.kind
    if kind == "b":
        return bool(value)
    if kind == "c":
        return [_number(value.real), _number(value.imag)]
    if kind in "iu" or "int" in value.dtype.name:
        return int(value)
    number = float(value)
    return number if np.isfinite(number) else str(number)


def _plain(value: Any) -> Any:
    """An attribute as JSON has it."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(part) for part in value]
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else str(float(value))
    return str(value)
