"""Write the skeleton of a new case: a plain call with its expectation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.format.loader import CASE_FOLDER, read_cases
from plumbline.cases.format.schema import NAME, TENSORS
from plumbline.cases.format.tested_clauses import on_outputs
from plumbline.cases.format.variants import changes_by_name
from plumbline.cases.format.writing import TITLE, as_yaml, schema_line
from plumbline.cases.generate.choices import maker, makes_calls
from plumbline.oracle import Call, Spec
from plumbline.oracle.choosing import every
from plumbline.oracle.files import read_text
from plumbline.oracle.specification import specs_named
from plumbline.oracle.type_names import name_of
from plumbline.oracle.yaml_text import YAMLError, load

FIRST = 4
"""Bits of choices within which the plainest valid call is searched."""

FEW = 100
"""Elements of a call that a person reads and changes."""


class ScaffoldError(ValueError):
    """A scaffold that cannot be made; the message is one line that says what to do."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """A plain call, and the defaults of the file that it comes from."""

    call: Call
    defaults: dict[str, Any] = field(default_factory=lambda: {"dtype": "float32"})


def scaffold(name: str, case_id: str, file: Path | None = None) -> str:
    """Return a new file with a new case, or, if `file` exists, the entry to append.

    Raises ScaffoldError, and SpecError for an unknown specification.

    name: a specification, in all its versions or in one: ``onnx/maxpool``, ``onnx/maxpool@12``."""
    if not re.fullmatch(NAME, case_id):
        raise ScaffoldError(f"{case_id!r} is not a valid id; use lower-case words joined by hyphens, such as nan-first")
    specs = specs_named(name)
    existing, _ = read_cases(None, [spec.name for spec in specs])
    taken = next((case for case in existing if case.id == case_id), None)
    if taken is not None:
        raise ScaffoldError(f"the id {case_id!r} is taken by {taken.place}; choose another")
    begin = _beginning(specs[-1], [case for case in existing if case.spec == specs[-1].name])
    family, _, version = name.partition("@")
    version = version or _since(specs, begin.call)
    if file is not None and file.exists():
        defaults = _defaults_of(file, family)
        if changes_by_name(defaults.get("but") or {}, [family]).get(family, {}) is None:
            raise ScaffoldError(f"{file}: only cases with an entry for {family} under 'but' are its own; name another "
                                "file, or a new one")
        return "\n" + as_yaml([_entry(specs[-1], begin.call, case_id, version, defaults)])
    entry = _entry(specs[-1], begin.call, case_id, version, begin.defaults)
    head = as_yaml({"spec": family, "defaults": begin.defaults})
    return f"{schema_line(file.parent if file else Path.cwd())}\n{head}cases:\n{as_yaml([entry])}"


def _since(specs: Sequence[Spec], call: Call) -> str:
    """Return the versions that accept the call and the outputs of the newest one, and test its clause, as ``13-``.

    "" if all versions do, or the newest does not."""
    outputs = {} if specs[-1].violations(call) else specs[-1].expected(call)
    inside = [spec.takes(tuple(call.inputs)) and not spec.violations(call) and not spec.divergences(call, outputs)
              and set(_tested(specs[-1], call)[-1:]) <= set(_tested(spec, call)) for spec in specs] if outputs else []
    since = len(inside) - next((number for number, kept in enumerate(reversed(inside)) if not kept), len(inside))
    return f"{specs[since].opset}-" if 0 < since < len(specs) else ""


def _tested(spec: Spec, call: Call) -> list[str]:
    """Return the clauses on outputs that a call inside the domain tests, without the specification."""
    return [address.partition("#")[2] for address in on_outputs(spec, call)]


def _entry(spec: Spec, call: Call, case_id: str, version: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a case, without what the defaults say."""
    dtype = next((name_of(array.dtype) for array in call.inputs.values()), "")
    given = defaults.get("attributes", {})
    attributes = {name: _attribute(value) for name, value in call.attributes.items()}
    attributes = {name: value for name, value in attributes.items() if given.get(name) != value}
    attributes |= {name: None for name in given if name not in call.attributes}
    broken = [entry.clause.partition("#")[2] for entry in spec.violations(call)]
    tried = _tested(spec, call) if not broken else []
    clauses = {} if broken else {"clauses": tried[-1:] or [_first_function(spec)]}
    expected: dict[str, Any] = {"outside": broken} if broken else {
        "outputs": {name: _numbers(array.tolist()) for name, array in spec.expected(call).items()}}
    types, known = {name: name_of(array.dtype) for name, array in call.inputs.items()}, defaults.get("dtypes", {})
    dtypes = {name: other for name, other in types.items() if other != known.get(name, dtype)}
    own = {"versions": version, "dtype": dtype if dtype != defaults.get("dtype") else "", "dtypes": dtypes,
           "attributes": attributes}
    return {"id": case_id, "title": TITLE, **clauses, **{key: value for key, value in own.items() if value},
            "inputs": {name: _numbers(array.tolist()) for name, array in call.inputs.items()}, **expected}


def _attribute(value: Any) -> Any:
    """Return the value of an attribute as a file of cases has it."""
    if isinstance(value, np.ndarray):
        return {"dtype": name_of(value.dtype), "values": _numbers(value.tolist())}
    return value


def _numbers(value: Any) -> Any:
    """Return nested lists with whole numbers as ints."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return value if isinstance(value, str) or not float(value).is_integer() else int(value)


def _first_function(spec: Spec) -> str:
    """Return the first F clause on an output, or else the first clause."""
    clauses = [clause for clause in spec.clauses.values() if not clause.restates]
    functions = [clause for clause in clauses if clause.tag.startswith("F") and clause.section in spec.outputs]
    return (functions or clauses)[0].local


def _beginning(spec: Spec, cases: list[Case]) -> Beginning:
    """Return a plain call to begin with.

    It has the shapes of the case with the fewest flags, attributes and elements, the attributes of that case's file if
    they suffice, and rising values, in all inputs or in the first, as the domain and outputs with elements allow.
    Without such a case, it is the plainest call that the operator definition makes."""
    plain = [case for case in cases if case.expectation.outputs is not None and case.call.inputs
             and all(1 < array.size <= FEW and array.dtype.kind not in "cO" for array in case.call.inputs.values())]
    if not plain:
        made = next((call for _, call in every(maker(spec), FIRST) if not spec.violations(call)), None) \
            if makes_calls(spec) else None
        if made is None:
            raise ScaffoldError(f"{spec.name} has no case to begin with, and its definition makes no call; write "
                                "`make`")
        return Beginning(made)
    model = min(plain, key=lambda case: (len(case.flags), len(case.call.attributes), case.dtype != "float32",
                                         sum(array.size for array in case.call.inputs.values())))
    given = model.call.inputs
    rising = {name: (np.arange(1, array.size + 1) % (2 if array.dtype == bool else array.size + 1))
              .reshape(array.shape).astype(array.dtype) for name, array in given.items()}
    first = {**given, **dict(list(rising.items())[:1])}
    file = CASE_FOLDER.parent / model.place.rpartition(":")[0]  # a place outside the clone is an absolute path
    # Changes for types and specifications are about the cases of that file.
    defaults = {key: value for key, value in _defaults_of(file, spec.name.partition("@")[0]).items() if key != "but"}
    calls = [Call(spec.operator, attributes, inputs, model.call.outputs) for inputs in (rising, first, given)
             for attributes in (defaults.get("attributes", {}), model.call.attributes)]
    inside = [call for call in calls if not spec.violations(call)]
    return Beginning(next((call for call in inside if all(array.size for array in spec.expected(call).values())),
                          inside[0]), defaults)


def _defaults_of(file: Path, name: str) -> dict[str, Any]:
    """Return the defaults of a file of cases for a specification. Raises ScaffoldError for any other file."""
    try:
        data = load(read_text(file), TENSORS)
    except (OSError, YAMLError, ValueError) as error:
        raise ScaffoldError(f"{file}: cannot be read: {' '.join(str(error).split())}") from None
    about = data.get("spec") if isinstance(data, dict) else None
    if name not in (about if isinstance(about, list) else [about]):
        raise ScaffoldError(f"{file}: holds cases of {about}, not of {name}; name a file of {name}, or a new one")
    return data.get("defaults") or {}
