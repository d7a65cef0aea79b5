"""Evidence can fail: of ten clauses chosen at random, each case that is listed as trying one has an answer, or a change
of its call, that breaks just this clause.

Who wants other clauses sets PLUMBLINE_SEED; the seed is in the name of the test. Answers are spoilt here in other ways
than `cases.tried` spoils them, one element at a time, and what they break is asked of the oracle's public functions.
"""

from __future__ import annotations

import os
import random
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from plumbline.cases import Case
from plumbline.cases.format.tested_clauses import tried_by
from plumbline.cases.generate.clause_cases import clause_cases
from plumbline.cases.generate.combinations import combination_cases
from plumbline.oracle import Call, Clause, OutsideDomain, Spec, load_spec, spec_names
from plumbline.oracle.response import is_float
from tests.suite.written import cases_of

SEED = int(os.environ.get("PLUMBLINE_SEED", "17"))

CLAUSES, EVIDENCE = 10, 6
"""How many clauses are chosen, and at most how many cases of the evidence for each."""

LARGE = 4096
"""Elements of an output above which a case is not evidence that is looked at here."""

TYPES = ("float64", "float32", "int32", "bool", "int64", "complex128", "longdouble", "clongdouble")

Outputs = Mapping[str, np.ndarray]


def judging() -> list[Clause]:
    """The clauses that judge something, in every specification; a restatement is judged as what it restates, and calls
    that break facts of the schema are generated."""
    return [clause for name in spec_names() for clause in load_spec(name).clauses.values()
            if clause.judges is not None and not clause.restates and clause.address not in load_spec(name).facts]


CHOSEN = random.Random(SEED).sample(judging(), CLAUSES)


def evidence(clause: Clause, cases: Iterable[Case]) -> list[Case]:
    """Some of the cases that try a clause as `cases.tried` computes it."""
    theirs = [case for case in cases if clause.address in tried_by(case)
              and all(array.size < LARGE for array in case.call.inputs.values())]
    return random.Random(SEED).sample(theirs, min(EVIDENCE, len(theirs)))


def is_just(clause: Clause, broken: Iterable[str]) -> bool:
    """Whether these are the clause and what follows from it."""
    found = set(broken)
    return clause.address in found and found <= load_spec(clause.specification).consequences(clause.address)


def breaks_just(clause: Clause, spec: Spec, call: Call, outputs: Outputs) -> bool:
    """Whether outputs break this clause and no other."""
    return is_just(clause, (entry.clause for entry in spec.divergences(call, outputs)))


def fails_by_its_outputs(clause: Clause, case: Case) -> bool:
    """Whether some wrong answer to the call of a case breaks just this clause."""
    spec = load_spec(case.spec)
    right = spec.expected(case.call)
    for wrong in answers(spec, case.call, right):
        if breaks_just(clause, spec, case.call, wrong):
            return True
        for entry in spec.divergences(case.call, wrong):
            if (entry.clause == clause.address and entry.where is not None
                    and wrong[entry.output].dtype == right[entry.output].dtype):
                place = tuple(entry.where[0])
                alone = right[entry.output].copy()
                alone[place] = wrong[entry.output][place]
                if breaks_just(clause, spec, case.call, {**right, entry.output: alone}):
                    return True
    return False


def answers(spec: Spec, call: Call, right: Outputs) -> Iterator[Outputs]:
    """Wrong answers: an output that is not given, of another type, of a size more or less, with an axis more or less;
    and values that have nothing to do with the call, or are those of its inputs, of its neighbours, or next to them."""
    for name, array in right.items():
        yield {other: given for other, given in right.items() if other != name}
        for dtype in TYPES:
            if array.dtype != dtype:
                yield {**right, name: as_type(array, dtype)}
    for names in [*([name] for name in right), list(right)]:
        for axis in range(max(right[name].ndim for name in names)):
            for shape in (resized(right, names, axis, 1), resized(right, names, axis, -1)):
                yield {**right, **shape}
        yield {**right, **{name: right[name][None] for name in names}}
        yield {**right, **{name: right[name].reshape(-1) for name in names}}
    for name, array in right.items():
        for values in pool(call, array):
            yield {**right, name: values}
        yield from ({**right, name: wrong} for wrong in spec.judged(call).definition.wrong_outputs(name))


def resized(right: Outputs, names: list[str], axis: int, by: int) -> dict[str, np.ndarray]:
    """Outputs of zeros with an axis that is longer or shorter."""
    found = {}
    for name in names:
        shape = list(right[name].shape)
        if axis < len(shape) and shape[axis] + by >= 0:
            shape[axis] += by
            found[name] = np.zeros(shape, right[name].dtype)
    return found


def pool(call: Call, array: np.ndarray) -> Iterator[np.ndarray]:
    """Arrays of the shape and type of an output, with other values."""
    if not array.size:
        return
    with np.errstate(all="ignore"):
        if array.dtype.kind == "b":
            yield ~array
            return
        if array.dtype.hasobject:
            yield from (np.full_like(array, "other"), np.roll(array, 1))
            return
        for value in (0, 1, 3, 100, *((np.nan, np.inf, -np.inf, -1) if is_float(array.dtype) else ())):
            yield np.full_like(array, value)
        yield (array + array.dtype.type(1)).astype(array.dtype)
        yield (-array if array.dtype.kind != "u" else array // 2 + 5).astype(array.dtype)
        yield (array * array.dtype.type(2)).astype(array.dtype)
        yield array[::-1].copy() if array.ndim else array
        yield np.roll(array, 1)
        for given in call.inputs.values():
            if given.size:
                yield np.resize(given, array.shape).astype(array.dtype)
                yield np.resize(given.reshape(-1)[::-1], array.shape).astype(array.dtype)


def fails_by_its_call(clause: Clause, case: Case, cases: Iterable[Case]) -> bool:
    """Whether the call of a case breaks just this clause, or it and others that the case names too; or does with one or
    all of the attributes and inputs of some call that breaks it."""
    spec = load_spec(case.spec)
    if case.expectation.outside is not None:
        broken = {entry.clause for entry in spec.violations(case.call)}
        return is_just(clause, broken) or clause.address in broken and broken == set(case.expectation.outside)
    others = [other.call for other in cases if other.expectation.outside is not None
              and is_just(clause, (entry.clause for entry in spec.violations(other.call)))]
    return any(is_just(clause, broken_by(spec, changed)) for other in others for changed in changes(case.call, other))


def broken_by(spec: Spec, call: Call) -> list[str]:
    """The clauses that a call breaks; none where it is not a call of the operator."""
    if set(call.inputs) <= set(spec.inputs):  # one that was added stands behind the others
        call = replace(call, inputs={name: call.inputs[name] for name in spec.inputs if name in call.inputs})
    try:
        return [entry.clause for entry in spec.violations(call)]
    except OutsideDomain:
        return []


def changes(call: Call, other: Call) -> Iterator[Call]:
    """A call with what another one has: each attribute, of a list as often as more axes want it, each input alone, the
    types of all, the shapes of all, with the attributes too, of one that it lacks that of one alike, and then more and
    more of them."""
    attributes = {name: other.attributes.get(name) for name in {**call.attributes, **other.attributes}
                  if repr(call.attributes.get(name)) != repr(other.attributes.get(name))}
    for name, value in attributes.items():
        for given in (value, value * 2, value * 3) if isinstance(value, list) else (value,):
            yield replace(call, attributes=_with(call.attributes, {name: given}))
    for name in other.inputs:
        yield replace(call, inputs={**call.inputs, name: other.inputs[name]})
        yield replace(call, inputs={**call.inputs, name: other.inputs[name]},
                      attributes=_with(call.attributes, attributes))
    yield replace(call, attributes=_with(call.attributes, attributes))
    yield replace(call, inputs={name: as_type(array, other.inputs[name].dtype) if name in other.inputs else array
                                for name, array in call.inputs.items()})
    yield replace(call, inputs={name: call.inputs[name] for name in other.inputs if name in call.inputs})
    sizes = {size for array in call.inputs.values() for size in array.shape}
    like = {call.inputs[name].shape: array for name, array in other.inputs.items() if name in call.inputs}
    of_shapes = {name: np.resize(array, other.inputs.get(name, like.get(array.shape, array)).shape)
                 for name, array in call.inputs.items()}
    yield replace(call, inputs=of_shapes)
    yield replace(call, inputs=of_shapes, attributes=_with(call.attributes, attributes))
    shapes = [*{array.shape for array in call.inputs.values()}, *((size,) for size in sizes)]
    for name in other.inputs.keys() - call.inputs.keys():
        for shape in shapes:
            for value, dtype in product((0, 100), {other.inputs[name].dtype, *(
                    array.dtype for array in call.inputs.values())}):
                added = np.full(shape, value, np.float32).astype(dtype)
                yield replace(call, inputs={**call.inputs, name: added})
    for name in (name for name, array in other.inputs.items() if array.ndim == 1 and array.dtype.kind == "i"):
        for size, count in product(sorted(sizes), range(2, 5)):  # parts of a size, one of them below 0
            parts = np.array([-1, *[0] * (count - 2), size + 1], other.inputs[name].dtype)
            yield replace(call, inputs={**call.inputs, name: parts}, attributes=_with(call.attributes, attributes))
    for name, value in attributes.items():
        if isinstance(value, str) and "=>" in value and isinstance(own := call.attributes.get(name), str):
            more = f"{call.outputs[-1].rpartition('_')[0]}_{len(call.outputs)}"
            theirs, ours = ({*re.findall(r"\w+(?=\[)", text)} for text in (value, own))
            yield from (replace(call, attributes={**call.attributes, name: with_constant(own, dtype)},
                                outputs=(*call.outputs, more)) for dtype in sorted(theirs - ours))
    yield replace(call, attributes=_with(call.attributes, attributes), outputs=other.outputs)
    for base in (call, replace(call, attributes=_with(call.attributes, attributes)),
                 replace(call, inputs={**other.inputs, **call.inputs}),
                 replace(call, inputs={**other.inputs, **of_shapes})):
        yield from small_changes(base)


def with_constant(graph: str, dtype: str) -> str:
    """A graph, as text, that gives one more output: a constant of a type."""
    given, _, nodes = graph.partition("{\n")
    inputs, _, outputs = given.partition("=> (")
    outputs, _, rest = outputs.partition(")")
    rest = rest.strip().strip("<>")
    constants = ", ".join(filter(None, [rest, f"{dtype}[1] further = {{1}}"]))
    return f"{inputs}=> ({outputs}, {dtype}[1] more) <{constants}> {{\n  more = Identity (further)\n{nodes}"


def small_changes(call: Call) -> Iterator[Call]:
    """A call with other element types, with an attribute that has an element more or less or another number, with an
    input of other sizes, fewer axes or larger numbers."""
    for dtype in TYPES:
        yield replace(call, inputs={name: as_type(array, dtype) for name, array in call.inputs.items()})
    for name, value in call.attributes.items():
        others: list[Any] = [value + 1, -1, 100] if isinstance(value, int) else []
        if isinstance(value, list) and value:
            others = [[*value, value[-1]], value[:-1], [-1, *value[1:]], [0, *value[1:]]]
        for other in others:
            yield replace(call, attributes={**call.attributes, name: other})
    for name, array in call.inputs.items():
        with np.errstate(all="ignore"):
            larger = np.roll(array, 1) if array.dtype.hasobject else array + array.dtype.type(100)
        for changed in (*(as_type(array, dtype) for dtype in TYPES), array[None], larger,
                        *(np.resize(array, array.shape[axis:]) for axis in range(1, array.ndim)),
                        *(stretched(array, axis, size) for axis in range(array.ndim)
                          for size in (array.shape[axis] + 1, 3, 5, 1, 0))):
            yield replace(call, inputs={**call.inputs, name: changed})


def as_type(array: np.ndarray, dtype: np.dtype | str) -> np.ndarray:
    """The array as another element type, whatever becomes of its values."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        return np.zeros(array.shape, dtype) if array.dtype.hasobject else array.astype(dtype)


def stretched(array: np.ndarray, axis: int, size: int) -> np.ndarray:
    """The array with another size of an axis, filled up with zeros."""
    shape = [*array.shape[:axis], size, *array.shape[axis + 1:]]
    filled = np.full(shape, "" if array.dtype.hasobject else 0, array.dtype)
    common = tuple(slice(0, min(pair)) for pair in zip(shape, array.shape, strict=True))
    filled[common] = array[common]
    return filled


def _with(attributes: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**attributes, **others}.items() if value is not None}


@pytest.mark.parametrize("clause", CHOSEN, ids=lambda clause: f"{clause.address} of seed {SEED}")
def test_every_evidence_of_a_clause_can_fail(clause: Clause) -> None:
    """For each case listed, written, derived or combined; there is one at least."""
    written = cases_of(clause.specification)
    theirs = [*written, *clause_cases(clause.specification, written), *combination_cases(clause.specification)]
    listed = evidence(clause, theirs)
    assert listed, f"no case tries {clause.address}"
    cannot = [case.id for case in listed
              if not (fails_by_its_call(clause, case, theirs) if clause.judges == "call" else
                      fails_by_its_outputs(clause, case))]
    assert not cannot, f"PLUMBLINE_SEED={SEED}: {clause.address} cannot fail by {', '.join(cannot)}"
