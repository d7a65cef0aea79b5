"""Generate calls that break one clause, or reach unspecified behaviour.

They complement the written cases.
They are valid calls with one or two parts changed: an attribute, an input's shape, its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.coverage import gaps
from plumbline.cases.format.flags import flags_of
from plumbline.cases.format.tensors import finfo
from plumbline.cases.generate.choices import Led
from plumbline.cases.generate.combinations import combination_cases
from plumbline.cases.generate.schema_cases import valid_calls
from plumbline.cases.generate.seeded import generate_cases, made_case
from plumbline.oracle import Call, Clause, OutsideDomain, Spec, load_spec
from plumbline.oracle.answers import TooLarge
from plumbline.oracle.response import is_float
from plumbline.oracle.type_names import name_of

FORMS, DRAWN, CELLS = 8, 120, 64
"""Valid calls that are changed: of each form the plainest, beside small draws of so many elements at most."""

CHANGES = 6000
"""Changed calls that are looked at: of common element types, then of others."""

DRAWN_FOR_GAPS, LARGE = 48, 4096
"""Drawn cases that a clause may be tried by where facts of the schema replace most written cases, and the elements
above which one is left out."""


def clause_cases(spec_name: str, written: Iterable[Case]) -> Iterator[Case]:
    """Yield a case for each clause on calls that no written case breaks, and each U clause that none names.

    None for clauses that no changed call breaks, or reaches, alone. Clauses that restate another, and facts of the
    schema, have cases elsewhere."""
    spec = load_spec(spec_name)
    tried = set(spec.facts)
    for case in written:
        if case.spec == spec.name:
            tried |= {address for address in case.clauses if spec.clauses[address].kind == "unspecified"}
            tried |= set(case.expectation.outside or ())
    sought = [clause for clause in spec.clauses.values() if clause.address not in tried
              and not clause.restates and (clause.kind == "unspecified" or clause.kind != "erratum"
                                           and clause.judges == "call")]
    for clause, call in sorted(_calls(spec, sought).items(), key=lambda found: sought.index(found[0])):
        name, title = f"derived-{clause.local}", f"{clause.title} {clause.local}"
        source = f"plumbline.cases.generate.clause_cases.clause_cases({spec.name!r})"
        if clause.kind == "unspecified":
            yield made_case(spec, name, title, call, source)
        else:
            yield Case(name, title, spec.name, spec.opset, call, Expectation(outside=(clause.address,)),
                       (clause.address,), source, flags_of(spec, call))


def gaps_of_all(spec_name: str, written: Iterable[Case]) -> list[str]:
    """Return a line for each clause that neither a written nor a generated case tries.

    Generated are those for clauses (`clause_cases`), combinations of special values, and some that are drawn.
    Raises SpecError."""
    written = [case for case in written if case.spec == spec_name]
    missing = list(gaps(spec_name, written))
    if not missing:
        return []
    is_drawn = f"{spec_name}#signature.C1" in load_spec(spec_name).facts
    drawn = (case for case in generate_cases(spec_name, seed=0, count=DRAWN_FOR_GAPS if is_drawn else 0)
             if all(array.size < LARGE for array in case.call.inputs.values()))
    made = [*clause_cases(spec_name, written), *combination_cases(spec_name), *drawn]
    return list(gaps(spec_name, [*written, *made]))


def _calls(spec: Spec, sought: list[Clause]) -> dict[Clause, Call]:
    """Return by clause the first changed call that breaks it alone, or to which a U clause applies."""
    if not sought:
        return {}
    calls: dict[Clause, Call] = {}
    left = list(sought)
    common, rare = ([call for call in base_calls(spec) if _is_rare(call) == wanted] for wanted in (False, True))
    changed = (call for calls in (common, rare) for call in islice(_changed_calls(spec, calls), CHANGES))
    for call in changed:
        broken = {entry.clause for entry in spec.violations(call)}
        shown = [clause for clause in left if (
            clause.address in broken and broken <= spec.consequences(clause.address) if broken else
            clause.kind == "unspecified" and _is_silent(spec, call, clause.address))]
        calls |= dict.fromkeys(shown, call)
        left = [clause for clause in left if clause not in calls]
        if not left:
            break
    return calls


def _is_silent(spec: Spec, call: Call, address: str) -> bool:
    """Return True if a U clause applies; False of a call that the suite does not try, though no clause excludes it."""
    try:
        return spec.judged(call).leaves_open(address)
    except (OutsideDomain, TooLarge):
        return False


def _changed_calls(spec: Spec, calls: Sequence[Call]) -> Iterator[Call]:
    """Yield valid calls, then such with one part changed, then with two."""
    yield from calls
    single = []
    for changed in (changed for call in calls for changed in _changes(spec, call)):
        single.append(changed)
        yield changed
    step = max(1, len(single) // 40)
    for call in single[::step]:
        yield from _changes(spec, call)


@cache
def base_calls(spec: Spec) -> tuple[Call, ...]:
    """Return small valid calls, each form of attributes and inputs and each element type among them."""
    calls = {_form(call): call for call in valid_calls(spec)[:FORMS]}
    for number in range(DRAWN):
        try:
            call = spec.definition.make(Led([number, 1], {}, CELLS), spec.opset)
        except OverflowError:
            continue
        if call is not None and _form(call) not in calls and not spec.violations(call):
            calls[_form(call)] = call
    return tuple(sorted(calls.values(), key=lambda call: sum(x.size for x in call.inputs.values())))


def _is_rare(call: Call) -> bool:
    """Return True if floating-point numbers are of a type that few implementations have: they refuse such a call."""
    return any(is_float(x.dtype) and x.dtype != np.float32 for x in call.inputs.values())


def _form(call: Call) -> tuple[Any, ...]:
    return (*sorted(call.attributes), *((name, name_of(x.dtype), x.ndim) for name, x in call.inputs.items()))


def _changes(spec: Spec, call: Call) -> Iterator[Call]:
    """Yield calls like a given one with one part changed."""
    for name, values in _attribute_values(spec, call):
        for value in values:
            yield Call(call.operator, {**call.attributes, name: value}, call.inputs, call.outputs)
    for name in call.attributes:
        yield replace(call, attributes={key: value for key, value in call.attributes.items() if key != name})
    if spec.variadic_output:
        count = len(spec.asked(call))
        yield from (replace(call, outputs=spec.output_names(other)) for other in (count + 1, count - 1) if other)
    for name, tensor in call.inputs.items():
        is_list = tensor.ndim == 1 and tensor.dtype.kind not in "ucO" and \
            set(spec.definition.types_of(name, spec.opset)) <= {"int64", "int32"}
        contents = _contents(tensor) if not is_list else (
            np.array(values, tensor.dtype) for values in _lists(tensor.tolist(), _rank(call)))
        for changed in (*_shapes(tensor), *contents):
            yield Call(call.operator, call.attributes, {**call.inputs, name: changed}, call.outputs)


def _attribute_values(spec: Spec, call: Call) -> Iterator[tuple[str, list[Any]]]:
    """Yield each attribute of the version with unusual values of its type."""
    for fact in spec.definition.facts.values():
        if fact.kind == "attribute" and fact.holds_for(spec.opset):
            yield fact.section, list(_values(fact.values["type"], call, call.attributes.get(fact.section)))


def _values(kind: str, call: Call, value: Any) -> Iterator[Any]:
    rank = _rank(call)
    if kind == "int":
        yield from dict.fromkeys((2, -1, 3, 0, 1, rank, rank + 1, -rank, -rank - 1, 100, *range(32)))
    elif kind == "float":
        yield from (0.0, -1.0, 2.5, float("inf"), float("-inf"), float("nan"))
    elif kind == "string":
        yield from ("", "other", str(value).lower())
    elif kind == "ints":
        yield from _lists(list(value) if isinstance(value, list | tuple) else [0], rank)


def _rank(call: Call) -> int:
    return max((tensor.ndim for tensor in call.inputs.values()), default=0)


def _lists(values: list[int], rank: int) -> Iterator[list[int]]:
    yield []
    for number in (0, 1, -1, rank, -rank - 1, 100):
        yield [number, *values[1:]]
        yield [*values, number]
    yield [*values, *values]
    yield values[:-1]
    if rank:
        yield [*values, *(value - rank if value >= 0 else value + rank for value in values)]


def _shapes(tensor: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a tensor with other axes, and with other sizes of each axis."""
    yield tensor.reshape(1, *tensor.shape)
    yield tensor.reshape(*tensor.shape, 1)
    yield tensor.reshape(-1)
    if tensor.size:
        yield tensor.reshape(-1)[:1].reshape(())
    for axis in range(tensor.ndim):
        yield np.concatenate([tensor, tensor], axis)
        for size in {0, 1, tensor.shape[axis] - 1} - {-1, tensor.shape[axis]}:
            yield np.take(tensor, range(min(size, tensor.shape[axis])), axis)


def _contents(tensor: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a tensor with unusual values: everywhere, and in one element."""
    if not tensor.size:
        return
    for value in _specials(tensor):
        yield np.full(tensor.shape, value, tensor.dtype)
        if tensor.size > 1:
            changed = tensor.copy()
            changed.flat[0] = value
            yield changed


def _specials(tensor: np.ndarray) -> Iterator[Any]:
    if is_float(tensor.dtype):
        info = finfo(tensor.dtype)
        yield from (np.array(value).astype(tensor.dtype) for value in (
            np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, info.max, info.min, info.smallest_subnormal))
    elif tensor.dtype.kind in "iu":
        numbers = np.iinfo(tensor.dtype)
        yield from (value for value in (numbers.max, numbers.min, 0, 1, -1, 2, 3, 100)
                    if numbers.min <= value <= numbers.max)
