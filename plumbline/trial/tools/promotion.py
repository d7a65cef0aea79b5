"""Turn a line of a record into a YAML case."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.cases import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.layout import laid_out
from plumbline.cases.format.schema import TENSORS
from plumbline.cases.format.writing import as_yaml, schema_line
from plumbline.cases.generate.blocks import block_case
from plumbline.cases.generate.seeded import dense_case, generated_case
from plumbline.oracle import Call, load_spec
from plumbline.oracle.did_you_mean import did_you_mean
from plumbline.oracle.files import read_text
from plumbline.oracle.specification import matches
from plumbline.oracle.yaml_text import YAMLError, load
from plumbline.trial.record.lines import CallData, CaseLine
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record
from plumbline.trial.record.tensors import from_values, to_array, values_of, written

MAKERS = {"generated": generated_case, "block": block_case, "dense": dense_case}
"""Makers of generated cases from seed and number, by the prefix of ids."""


def chosen_line(record: Record, case_id: str, spec: str | None = None, form: str | None = None) -> CaseLine:
    """Return the first line of a case that has its call.

    Raises LookupError if there is none, or if there are lines of several specifications and `spec` is None."""
    lines = [line for line in record.cases if line.is_of(case_id) and line.call
             and (spec is None or matches(line.spec, spec)) and form in (None, line.form)]
    if not lines:
        raise LookupError(f"{record.path}: no line {case_id!r} with its call; conforming lines keep none"
                          f"{did_you_mean(case_id, [line.id for line in record.cases if line.call])}")
    specs = list(dict.fromkeys(line.spec for line in lines))
    if len(specs) > 1:
        raise LookupError(f"{record.path}: {case_id!r} is a case of several specifications; name one with --spec: "
                          f"{', '.join(specs)}")
    return lines[0]


def call_of(record: Record, line: CaseLine) -> CallData:
    """Return the call of a line. Raises LookupError for a line without one."""
    if line.call is None:
        raise LookupError(f"{record.path}: the line {line.id!r} is kept without its call")
    return line.call


def case_of(record: Record, line: CaseLine) -> Case:
    """Return the case of a line with its call.

    Raises LookupError if the inputs are cropped and cannot be generated again."""
    spec, data = load_spec(line.spec), call_of(record, line)
    attributes = {name: from_values(value) for name, value in data.attributes.items()}
    call = Call(data.operator, attributes, {name: to_array(tensor) for name, tensor in data.inputs.items()
                                            if tensor.offset is None}, tuple(data.outputs) or None)
    if not data.whole:
        parts = re.fullmatch(r"(generated|block|dense)-([0-9]+)-([0-9]+)", line.id.partition("/")[0])
        case = MAKERS[parts[1]](spec.name, seed=int(parts[2]), number=int(parts[3])) if parts else None
        if case is None or (case.title, dict(case.call.attributes)) != (line.title, dict(call.attributes)):
            raise LookupError(f"{record.path}: the input of {line.id!r} is too large to be kept whole")
        call = case.call
    broken = tuple(entry.clause for entry in spec.violations(call))
    expectation = Expectation(outside=broken) if broken else Expectation(outputs=spec.expected(call))
    return Case(line.id, line.title, spec.name, line.opset, call, expectation, tuple(line.covers),
                line.source, flags_of(spec, call), context=line.context, constants=tuple(line.constants))


def promoted(record: Record, line: CaseLine, case: Case | None = None, note: str = "") -> str:
    """Return a line as a YAML list of one case.

    Call and values are those of the line, or of `case`: the case of the line, or a smaller one, which `note` explains.
    Raises LookupError for cropped inputs."""
    call: CallData | Call = call_of(record, line) if case is None else case.call
    if isinstance(call, CallData) and not call.whole:
        raise LookupError(f"{record.path}: the input of {line.id!r} is too large to be kept whole")
    expected = line.expected if case is None else case.expectation.outputs
    clauses = [address.partition("#")[2] for address in line.clauses or line.covers]
    source = "; ".join(filter(None, [line.source, note, f"{line.verdict} on {record.who} [{line.form}]"]))
    entry: dict[str, Any] = {
        "id": f"found-{line.id.replace('/', '-')}", "title": line.title if case is None else case.title,
        "clauses": clauses,
        "source": source, "opset": line.opset, "dtype": line.dtype,
        "attributes": {name: written(value) for name, value in call.attributes.items()},
        "inputs": {name: _values(tensor) for name, tensor in call.inputs.items()}}
    dtypes = {name: str(tensor.dtype) for name, tensor in call.inputs.items() if str(tensor.dtype) != line.dtype}
    if dtypes:
        entry["dtypes"] = dtypes
    if expected is None and call.outputs:
        entry["outputs"] = len(call.outputs)
    entry |= {"outputs": {name: _values(tensor) for name, tensor in expected.items()}} if expected else \
        {"outside": clauses}
    return as_yaml([entry])


def added(text: str, spec: str, file: Path) -> str:
    """Return the content of a file of cases with one more entry, as `promoted` gives it.

    `spec` is the specification of the entry, in a version if it has any. A new file is about it alone. Raises
    LookupError for a file that is about others, or no file of cases."""
    if not file.exists():
        return laid_out(f"{schema_line(file.parent)}\nspec: {spec}\ndefaults: {{}}\ncases:\n{text}", file.parent)
    before = read_text(file)
    try:
        about = load(before, TENSORS)["spec"]
    except (YAMLError, LookupError, TypeError):
        raise LookupError(f"{file}: not a file of cases, which begins with 'spec:'; name another file") from None
    family, _, version = spec.partition("@")
    if about not in (spec, family):
        raise LookupError(f"{file}: its cases are of {about}, not of {spec}; name another file, or a new one")
    if about != spec:
        text = text.replace("\n  opset: ", f"\n  versions: '{version}'\n  opset: ", 1)
    return laid_out(f"{before.rstrip()}\n\n{text}", file.parent)


def _values(tensor: Tensor | np.ndarray) -> Any:
    return values_of(tensor)
