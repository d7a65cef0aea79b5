"""Turn official examples of the installed onnx into YAML cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile
from typing import Any

import numpy as np
import onnx

from plumbline.cases.format.case import Case
from plumbline.cases.format.schema import PLACEHOLDER, of_example
from plumbline.cases.format.tensors import generated
from plumbline.cases.format.tested_clauses import on_outputs
from plumbline.cases.format.writing import as_yaml
from plumbline.oracle import Call, Spec
from plumbline.oracle.response import is_float
from plumbline.oracle.schema_front import in_ranges
from plumbline.oracle.specification import specs_named
from plumbline.oracle.type_names import name_of
from plumbline.oracle.yaml_text import OneLine
from plumbline.trial.editions.node_tests import NodeTest, made_tests
from plumbline.trial.record.tensors import values_of, written

MOST = 24
"""Elements of a tensor that is written; a larger one is drawn by a seed in its place, as random data are."""


WORDS = ("example", "id", "title")
"""Keys of an entry that may hold the name of its type."""


@cache
def examples() -> tuple[NodeTest, ...]:
    """The official tests of one node that the installed onnx makes, and whose operators have a specification."""
    return tuple(test for test in made_tests(onnx.__version__) if test.spec is not None)


def absent(cases: Iterable[Case]) -> Iterator[NodeTest]:
    """Yield the examples that no case of their operator names in its source, those of expanded functions apart."""
    sources: dict[str, set[str]] = {}
    for case in cases:
        sources.setdefault(case.call.operator, set()).update(re.findall(r"\w+", case.source))
    for test in examples():
        named = sources.get(test.node.op_type, set())
        if not test.name.endswith("_expanded") and not {test.name, f"test_{test.name}"} & named:
            yield test


def entries(tests: Iterable[NodeTest]) -> list[dict[str, Any]]:
    """Return the entries of examples, as a file of cases has them; none of a call outside the domain."""
    found = []
    for test in tests:
        for number, (call, published) in enumerate(test.calls()):
            spec = test.spec
            assert spec is not None
            if not spec.violations(call):
                found.append(_entry(spec, call, published, test.name, number))
    return list(_by_type(found))


def _by_type(listed: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the entries, with one entry for those that differ in the name of their type alone."""
    alike: dict[str, list[dict[str, Any]]] = {}
    for entry in listed:
        common = {key: _without_type(value, entry["dtype"]) if key in WORDS else value for key, value in entry.items()
                  if key != "dtype"}
        alike.setdefault(as_yaml(common) if PLACEHOLDER in common["example"] else as_yaml(entry), []).append(entry)
    for entries_alike in alike.values():
        first, types = entries_alike[0], [entry["dtype"] for entry in entries_alike]
        yield first if len(types) == 1 else {**first, **{
            key: _without_type(first[key], first["dtype"]) for key in WORDS if key in first}, "dtype": types}


def _without_type(text: str, dtype: str) -> str:
    """Return a text with the placeholder for a type, where it is a word of its own."""
    return re.sub(rf"(?<![^\W_]){dtype}(?![^\W_])", PLACEHOLDER, text)


def _entry(spec: Spec, call: Call, published: dict[str, np.ndarray], name: str, number: int) -> dict[str, Any]:
    """Return an example as an entry of a file of cases.

    published: the outputs, by name.
    name:      of the example in onnx.
    number:    tells calls of one example apart, 0 for the first."""
    first = next(iter(call.inputs.values()), None)
    dtype = "float32" if first is None else name_of(first.dtype)
    drawn = {key: _drawn(x, seed) for seed, (key, x) in enumerate(call.inputs.items(), 1) if _is_drawn(x)}
    tried = Call(call.operator, call.attributes, {
        key: generated(parameters["generator"], list(x.shape), x.dtype, {
            entry: value for entry, value in parameters.items() if entry not in ("generator", "shape")})
        if (parameters := drawn.get(key)) else x for key, x in call.inputs.items()}, call.outputs)
    is_printed = not drawn and spec.exact and not any(map(_is_drawn, published.values()))
    words = of_example(name)
    named = {"id": f"{words['id']}-{number}", "title": f"{words['title']} {number}"} if number else {}
    entry: dict[str, Any] = {
        "example": name, **named, "clauses": [address.partition("#")[2] for address in on_outputs(spec, tried)],
        "versions": _versions(spec, call), "dtype": dtype,
        "dtypes": {key: name_of(x.dtype) for key, x in call.inputs.items() if name_of(x.dtype) != dtype},
        "attributes": {key: written(value) for key, value in call.attributes.items()},
        "inputs": {key: OneLine(drawn[key]) if key in drawn else values_of(x)
                   for key, x in call.inputs.items()},
        "outputs": {key: values_of(x) for key, x in published.items()} if is_printed else "computed"}
    return {key: value for key, value in entry.items() if value != {} or key == "inputs"}


def _versions(spec: Spec, call: Call) -> str:
    """Return the versions from the example's on that bound refusals as well.

    The nodes of a graph in an attribute may be written for earlier ones."""
    def refusals(other: Spec) -> set[str]:
        broken = [entry.clause for entry in other.violations(call)]
        return {address.partition("#")[2] for address in broken or other.may_refuse(call)}

    later = [other for other in specs_named(spec.name.partition("@")[0]) if other.opset >= spec.opset]
    held = list(takewhile(lambda other: refusals(other) == refusals(spec), later))
    return in_ranges([other.opset for other in held], [other.opset for other in later]) or f"{spec.opset}-"


def _is_drawn(x: np.ndarray) -> bool:
    """Return True if a tensor is large, random, or not writable as lists."""
    is_written = x.dtype.name != "float8_e8m0fnu"  # whose powers of two have no short decimal
    is_random = x.size > 1 and is_float(x.dtype) and bool(((np.round(x, 3) != x) & (x == x)).any())
    return x.size > MOST or not is_written or is_random or not x.size and x.ndim > 1


def _drawn(x: np.ndarray, seed: int) -> dict[str, Any]:
    """The parameters of a generator in the place of a tensor."""
    if is_float(x.dtype):
        return {"generator": "normal", "shape": list(x.shape), "seed": seed}
    if x.dtype.kind == "b":
        return {"generator": "constant", "shape": list(x.shape), "value": 1}
    step = 0 if not x.size or x.size > 126 and x.dtype.itemsize == 1 else 1  # which the type holds
    return {"generator": "ramp", "shape": list(x.shape), "start": 1, "step": step}


def as_file(spec_name: str, listed: list[dict[str, Any]], schema: str) -> str:
    """Return a file of cases with some entries."""
    return (f"{schema}\n# Official examples, by `plumbline cases import-examples {spec_name}`.\n"
            "# Large tensors are drawn by a seed.\n"
            f"spec: {spec_name}\ncases:\n{as_yaml(listed)}")
