"""Turns a line of a record into a YAML case: what was found becomes what is always tried."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from plumbline.cases import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.writing import as_yaml
from plumbline.cases.generate.blocks import block_case
from plumbline.cases.generate.seeded import dense_case, generated_case
from plumbline.oracle import Call, load_spec
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.record.tensors import from_values, nested, to_array

AGAIN = {"generated": generated_case, "block": block_case, "dense": dense_case}
"""By what the id begins with, what makes the case again from seed and number."""


def chosen_line(record: Record, case_id: str, spec: str | None = None, form: str | None = None) -> CaseLine:
    """The first line of that case with its call. Raises LookupError when the record holds none, or when it has them for
    several specifications and none is named."""
    lines = [line for line in record.cases if line.id == case_id and line.call
             and spec in (None, line.spec) and form in (None, line.form)]
    if not lines:
        raise LookupError(f"{record.path}: no line {case_id!r} with its call; conforming lines keep none")
    specs = list(dict.fromkeys(line.spec for line in lines))
    if len(specs) > 1:
        raise LookupError(f"{record.path}: {case_id!r} stands there for several specifications; name one with --spec: "
                          f"{', '.join(specs)}")
    return lines[0]


def case_of(record: Record, line: CaseLine) -> Case:
    """The case that a line is about. Raises LookupError when its input is kept in part and no seed gives it back."""
    spec = load_spec(line.spec)
    attributes = {name: from_values(value) for name, value in line.call.attributes.items()}
    call = Call(line.call.operator, attributes, {name: to_array(tensor) for name, tensor in line.call.inputs.items()
                                                 if tensor.offset is None})
    if not line.call.whole:
        made = re.fullmatch(r"(generated|block|dense)-([0-9]+)-([0-9]+)", line.id.partition("/")[0])
        again = AGAIN[made[1]](spec.name, seed=int(made[2]), number=int(made[3])) if made else None
        if again is None or (again.title, dict(again.call.attributes)) != (line.title, dict(call.attributes)):
            raise LookupError(f"{record.path}: the input of {line.id!r} is too large to be kept whole")
        call = again.call
    broken = tuple(entry.clause for entry in spec.violations(call))
    expectation = Expectation(outside=broken) if broken else Expectation(outputs=spec.expected(call))
    return Case(line.id, line.title, spec.name, line.opset, call, expectation, tuple(line.covers),
                line.source, flags_of(spec, call), context=line.context)


def promoted(record: Record, line: CaseLine, case: Case | None = None, note: str = "") -> str:
    """A line as a YAML list of one case, with the call and the values that the line holds, or those of `case`: the
    case of the line, or a smaller one that `note` tells about. Raises LookupError for an input kept in part."""
    if case is None and not line.call.whole:
        raise LookupError(f"{record.path}: the input of {line.id!r} is too large to be kept whole")
    call = line.call if case is None else case.call
    arrays = call.inputs if case is None else case.call.inputs
    expected = line.expected if case is None else case.expectation.outputs
    clauses = [address.partition("#")[2] for address in line.clauses or line.covers]
    source = "; ".join(filter(None, [line.source, note, f"{line.verdict} on {record.who} [{line.form}]"]))
    entry: dict[str, Any] = {
        "id": f"found-{line.id.replace('/', '-')}", "title": line.title if case is None else case.title,
        "clauses": clauses,
        "source": source, "opset": line.opset, "dtype": line.dtype,
        "attributes": {name: from_values(list(value) if isinstance(value, tuple) else value)
                       for name, value in call.attributes.items()},
        "inputs": {name: _values(tensor) for name, tensor in arrays.items()}}
    others = {name: str(tensor.dtype) for name, tensor in arrays.items() if str(tensor.dtype) != line.dtype}
    if others:
        entry["dtypes"] = others
    if expected:
        entry["expect"] = {"outputs": {name: _values(tensor) for name, tensor in expected.items()}}
    else:
        entry["expect"] = {"outside": clauses}
    return as_yaml([entry])


def _values(tensor: Tensor | np.ndarray) -> Any:
    return from_values(nested(tensor) if isinstance(tensor, np.ndarray) else tensor.values)
