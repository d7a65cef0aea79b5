"""Make test vectors: cases with their conforming answers, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.cases.corpus.allowed import Allowed, allowed
from plumbline.cases.format.case import Case
from plumbline.cases.generate.value_order import Row
from plumbline.oracle import Call, Spec
from plumbline.oracle.check.profiles import is_outside_profile
from plumbline.oracle.judgement import JudgedCall

SHOWN = 64
"""Largest number of elements of a tensor whose values are written as numbers too."""

RESULTS = {
    "valid": "The call is inside the domain: an implementation must give one of the answers.",
    "acceptable": "The specification does not define whether the call is inside the domain: an implementation may "
                  "refuse it, or give one of the answers.",
    "outside-profile": "The call is legal ONNX outside a profile: any answer and a refusal conform.",
    "invalid": "The call breaks a constraint: any answer and a refusal conform.",
}
"""By result what an implementation must do. A crash or a hang is a fault whatever the call."""


def vector(spec: Spec, case: Case, call: Call) -> dict[str, Any]:
    """Return the vector of a case with the outputs of `call`."""
    judged, outputs = spec.judged(call), spec.asked(call)
    broken = [entry.clause for entry in judged.violations]
    entry: dict[str, Any] = {
        "id": case.id, "form": spec.form(call), "comment": case.title, "result": result_of(judged),
        "flags": list(case.flags), "clauses": list(case.clauses), "source": case.source}
    if case.notes:
        entry["notes"] = " ".join(case.notes.split())
    if broken:
        entry["broken"] = broken
    elif judged.unspecified_by_clause:
        entry["silences"] = list(judged.unspecified_by_clause)
    entry |= {"operator": call.operator, "domain": spec.domain, "opset": case.opset,
              "attributes": {name: _plain(value) for name, value in sorted(call.attributes.items())},
              "inputs": {name: tensor(array) for name, array in call.inputs.items()}, "outputs": list(outputs)}
    if not broken:
        readings = [judged, *(JudgedCall(spec, call, reading) for unspecified in judged.unspecified_by_clause.values()
                              for reading in unspecified.readings)]
        answers = [{name: _output(allowed(reading, name, reading.definition)) for name in outputs}
                   for reading in readings]
        entry["answers"] = [answer for number, answer in enumerate(answers) if answer not in answers[:number]]
    return entry


def result_of(judged: JudgedCall) -> str:
    """Return the key of `RESULTS` for a call."""
    if judged.violations:
        broken = [entry.clause for entry in judged.violations]
        return "outside-profile" if is_outside_profile(judged.spec, judged.call, broken) else "invalid"
    return "acceptable" if judged.may_refuse else "valid"


def tensor(array: np.ndarray) -> dict[str, Any]:
    """Return type, shape and elements; for a small tensor, the values too."""
    row = Row(array.dtype.newbyteorder("="))
    entry = {"type": array.dtype.name, "shape": list(array.shape), "data": row.bytes_of(array).hex()}
    if array.size <= SHOWN:
        entry["values"] = [_number(value) for value in row.plain(array).reshape(-1)]
    return entry


def _output(conforming: Allowed) -> dict[str, Any]:
    row = Row(conforming.canonical.dtype.newbyteorder("="))
    entry = tensor(conforming.canonical)
    start = row.places(conforming.canonical)
    if (conforming.low != start).any():
        entry["low"] = row.bytes_of(row.elements(row.values(conforming.low))).hex()
    if (conforming.high != start).any():
        entry["high"] = row.bytes_of(row.elements(row.values(conforming.high))).hex()
    if conforming.also:
        entry["also"] = [[part, *(row.bytes_of(row.values(np.array([place], np.uint64))).hex() for place in ends)]
                         for part, *ends in conforming.also]
    for name, parts in (("anything", conforming.anything), ("unsettled", conforming.unsettled)):
        if parts:
            entry[name] = list(parts)
    if conforming.open_shape:
        entry["open_shape"] = True
    return entry


def _number(value: Any) -> Any:
    """Return a value for JSON; NaN and infinities as strings."""
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
    """Return an attribute for JSON."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return tensor(value)
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else str(float(value))
    return str(value)
