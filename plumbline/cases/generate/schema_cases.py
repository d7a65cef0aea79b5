"""Generate calls that each break one fact of ONNX's schema.

Facts are about attributes, element types, and inputs of equal types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.generate.choices import Led
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.call import is_of
from plumbline.oracle.choosing import element_type
from plumbline.oracle.clause import SpecError, full_address
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.schema import Fact, tensors_of
from plumbline.oracle.type_names import STRING

ATTEMPTS = 200
"""Draws of a valid call that a fact can be broken in."""

_OF_TYPE: dict[str, Any] = {"int": 1, "ints": [1], "float": 0.5, "floats": [0.5], "string": "a", "strings": ["a"],
                            "tensor": np.zeros(1, np.float32)}
"""By type of attributes a value of it."""

_OTHERS = {"int": ("a",), "ints": (1, ["a"]), "float": ("a",), "floats": ("a",), "string": (1,), "strings": ("a", [1]),
           "tensor": (1,), "graph": (1,)}
"""By type of attributes values of other types."""


def schema_cases(spec_name: str) -> Iterator[Case]:
    """Yield cases that break the facts on calls of a specification, each alone."""
    spec = load_spec(spec_name)
    facts = [(address, fact) for address, fact in spec.definition.facts.items()
             if full_address(spec.name, address) in spec.facts and spec.clause(address).judges == "call"]
    calls = valid_calls(spec) if facts else []
    for address, fact in facts:
        names = set[str]()
        for name, call in (made for valid in calls for made in broken_calls(spec, fact, valid)):
            full = full_address(spec.name, address)
            if name not in names and [entry.clause for entry in spec.violations(call)] == [full]:
                names.add(name)
                yield Case(f"schema-{address}-{name}", f"{spec.clause(address).title}: {name}", spec.name, spec.opset,
                           call, Expectation(outside=(full,)), (full,),
                           f"plumbline.cases.generate.schema_cases.schema_cases({spec.name!r})", flags_of(spec, call))


def is_judged(text: SpecText, fact: Fact) -> bool:
    """Return whether clauses of a text that are written by hand exclude the calls that break a fact.

    Without a call to break, as before the definition is written, the answer is no."""
    if fact.kind == "outputs":
        return any(clause.judges == "outputs" and clause.section == fact.section and clause.tag[0] == "F"
                   and clause.local not in text.facts for clause in text.clauses.values())
    names = [f"{text.name}@{version}" if version else text.name for version in text.versions or (0,)
             if not version or fact.holds_for(version)]
    try:
        specs = [load_spec(name) for name in names]
        valid = {spec: valid_calls(spec) for spec in specs}
    except (SpecError, IndexError):  # no definition yet, or one that has no types to draw
        return False
    if fact.kind == "type":
        return all(valid.values()) and all(any(entry.clause not in spec.facts for entry in spec.divergences(
            valid[spec][0], _of_other_type(spec, fact.section, valid[spec][0]))) for spec in specs)
    return all(valid.values()) and all(any(entry.clause not in spec.facts for entry in spec.violations(broken))
                                       for spec in specs for call in valid[spec]
                                       for _, broken in broken_calls(spec, fact, call))


def _of_other_type(spec: Spec, output: str, call: Call) -> dict[str, np.ndarray]:
    """The expected outputs of a call, one of them in another element type that holds its values."""
    outputs = spec.judged(call).expected
    output = next(name for name in outputs if is_of(name, output))
    values = outputs[output]
    dtype = np.complex128 if values.dtype in (np.float64, np.complex64) else np.float64
    return {**outputs, output: (values.real if values.dtype == np.complex128 else values).astype(dtype)}


@cache
def valid_calls(spec: Spec) -> tuple[Call, ...]:
    """The plainest of the drawn calls inside the domain: one for each set of attributes and inputs."""
    calls: dict[tuple[frozenset[str], tuple[str, ...]], Call] = {}
    for attempt in range(ATTEMPTS):
        call = spec.make(Led([attempt], {}))
        if call is None:
            continue
        form = (frozenset(call.attributes), tuple(call.inputs))
        if (form not in calls or _size(call) < _size(calls[form])) and not spec.violations(call):
            calls[form] = call
    return tuple(sorted(calls.values(), key=lambda call: (len(call.attributes) + len(call.inputs), _size(call))))


def _size(call: Call) -> int:
    return sum(tensor.size for tensor in call.inputs.values())


def broken_calls(spec: Spec, fact: Fact, call: Call) -> Iterator[tuple[str, Call]]:
    """Yield calls that a fact excludes, with a name for each."""
    excludes = fact.predicate(f"{fact.section}.C1").function
    return ((name, changed) for name, changed in _changed(spec, fact, call)
            if excludes(spec.definition(changed, spec.opset)) is not None)


def _changed(spec: Spec, fact: Fact, call: Call) -> Iterator[tuple[str, Call]]:
    """Yield variants of a valid call that differ in what a fact is about, each with a name for it."""
    def with_attributes(attributes: dict[str, Any]) -> Call:
        return replace(call, attributes=attributes)

    attributes = dict(call.attributes)
    if fact.kind == "attributes":
        for name in (*fact.values["names"], "unknown"):
            yield name.replace("_", "-"), with_attributes({name: _value(spec, name), **attributes})
    elif fact.kind == "attribute":
        for number, value in enumerate(_OTHERS.get(fact.values["type"], ()), 1):
            yield f"other-type-{number}", with_attributes({**attributes, fact.section: value})
    elif fact.kind == "required":
        yield "absent", with_attributes({name: attributes[name] for name in attributes if name != fact.section})
    elif fact.kind == "types":
        yield from _other_types(spec, fact, call)
    elif fact.kind == "one type":
        for name in [name for entry in fact.values["inputs"] for name, _ in tensors_of(call.inputs, entry)][1:]:
            for dtype in islice((dtype for dtype in spec.definition.types_of(name.rpartition("_")[0], spec.opset)
                                 or spec.definition.types_of(name, spec.opset)), 2):
                yield f"{name}-{dtype}".replace("_", "-"), _cast(call, name, dtype)


def _value(spec: Spec, attribute: str) -> Any:
    """A value for an attribute that the version does not have."""
    kinds = [fact.values["type"] for fact in spec.definition.facts.values()
             if (fact.section, fact.kind) == (attribute, "attribute")]
    return _OF_TYPE.get(kinds[0], 1) if kinds else 1


def _other_types(spec: Spec, fact: Fact, call: Call) -> Iterator[tuple[str, Call]]:
    """Cast an input, with all that share its type, to a plain type or one of another version that is not allowed."""
    allowed = set(fact.values["types"])
    elsewhere = {dtype for version in spec.versions for dtype in spec.definition.types_of(fact.section, version)}
    plain = [dtype for dtype in ("float32", "int64", "bool", "complex64") if dtype not in allowed][:2]
    partners = [name for other in spec.definition.facts.values() if other.kind == "one type"
                and other.holds_for(spec.opset) and fact.section in other.values["inputs"]
                for name in other.values["inputs"]]
    together = list(dict.fromkeys(partners)) or [fact.section]
    names = [name for entry in together for name, _ in tensors_of(call.inputs, entry)]
    for dtype in sorted({*plain, *elsewhere} - allowed):
        if fact.section == together[0]:
            changed = call
            for name in names:
                changed = _cast(changed, name, dtype)
            yield dtype.replace("_", "-"), changed


def _cast(call: Call, name: str, dtype: str) -> Call:
    ones = np.full(call.inputs[name].shape, "1" if dtype == STRING else np.float32(1))
    ones = ones.astype(element_type(dtype))  # from float32: not all types are cast directly
    return replace(call, inputs={**call.inputs, name: ones})
