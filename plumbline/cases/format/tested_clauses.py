"""Compute the clauses that a call tests: those that some wrong answer would break.

The canonical outputs are changed in the ways in which implementations go wrong, and the oracle says which clauses the
result breaks. A call tests a clause on whole outputs if some wrong answer breaks it and nothing but its consequences.
Wrong elements are blamed one by one, so that all elements of an output can be changed at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.binding import BoundSpec
from plumbline.oracle.call import is_of
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.parts import begun
from plumbline.oracle.response import Response, is_float
from plumbline.oracle.type_names import blank, is_of_strings, name_of

Outputs = dict[str, np.ndarray]

LARGE = 2**12
"""Elements of the largest tensor, above which a call is large."""


def tried(spec: Spec, call: Call, outputs: tuple[str, ...] | None = None) -> frozenset[str]:
    """Return the addresses of the clauses that a call tests.

    Inside the domain: the clauses on outputs that some wrong answer would break, the U clauses that apply, and the
    clauses on calls that hold. Outside: the clauses that the call breaks. `outputs` are the outputs asked for, by
    default those of the call. Raises OutsideDomain for a call of another operator."""
    judged = spec.judged(call if outputs is None else call.asking_for(*outputs))
    if judged.violations:
        return frozenset(entry.clause for entry in judged.violations)
    kept = {standing.clause for standing in judged.standings if standing.state == "kept"}  # clauses on calls that hold
    return frozenset(kept | set(judged.unspecified_by_clause) | _on_outputs(judged))


_tried_by: WeakKeyDictionary[Case, frozenset[str]] = WeakKeyDictionary()
"""What is known of cases that are still in use: a strong reference would keep the arrays of thousands."""


def tried_by(case: Case) -> frozenset[str]:
    """Return the addresses of the clauses that a case tests, with all outputs."""
    if case not in _tried_by:
        _tried_by[case] = tried(load_spec(case.spec), case.call)
    return _tried_by[case]


def on_outputs(spec: Spec, call: Call) -> tuple[str, ...]:
    """Return the clauses on outputs that a call tests, without restatements.

    They stand in the order of the specification. Of a large call whose slices are alike only a part is judged: what a
    wrong answer to the part breaks, a wrong answer to the whole breaks too."""
    part = begun(spec, call, LARGE) if spec.definition.slices_alike else call
    tested = _on_outputs(spec.judged(call) if part is call else JudgedCall(spec, part))
    return tuple(address for address, clause in spec.clauses.items() if address in tested and not clause.restates)


def together(judged: JudgedCall, count: int) -> list[set[str]]:
    """Return `on_outputs` for each of `count` calls that are stacked in one."""
    by_clause = _on_elements(judged, count)
    wholes = _on_wholes(judged)
    return [wholes | {address for address, calls in by_clause.items() if calls[place]} for place in range(count)]


def _on_outputs(judged: JudgedCall) -> set[str]:
    return _with_restatements(judged.spec, _on_wholes(judged) | set(_on_elements(judged, 1)))


def _with_restatements(spec: BoundSpec, addresses: set[str]) -> set[str]:
    return addresses | {address for address, clause in spec.clauses.items() if clause.restates in addresses}


def _on_wholes(judged: JudgedCall) -> set[str]:
    tested, every = set[str](), judged.spec.on_outputs.keys()
    for wrong in _wrong_wholes(judged):
        if tested >= every:
            break
        broken = _blamed_wholes(judged, wrong)
        tested |= {address for address in broken if broken <= judged.spec.consequences(address)}
    return tested


def _on_elements(judged: JudgedCall, count: int) -> dict[str, np.ndarray]:
    """Return, by clause on elements, which of the stacked calls test it: bool (calls,)."""
    right, tested = judged.expected, dict[str, np.ndarray]()
    for name, array in right.items():
        within = _can_be_blamed(judged, array, name, count) if array.size else {}
        for elements in _wrong_elements(judged, array, name, count) if within else ():
            for address, mask in _blamed_elements(judged, {**right, name: elements}, name):
                calls = np.asarray(mask.reshape(count, -1).any(axis=1))
                tested[address] = tested[address] | calls if address in tested else calls
            if all(address in tested and tested[address][calls].all() for address, calls in within.items()):
                break
    return tested


def _can_be_blamed(judged: JudgedCall, right: np.ndarray, name: str, count: int) -> dict[str, np.ndarray]:
    """Return, by clause on elements of an output, which of the stacked calls may test it: bool (calls,).

    `right` is the canonical output `name` of all `count` calls, stacked along the first axis. A clause whose predicate
    reads the answer may always be tested. Another one only where its elements are neither all unspecified nor all
    blamed on clauses before it."""
    left, blamable = np.ones(right.shape, bool), dict[str, np.ndarray]()
    for allowance in judged.allowances.get(name, ()):
        if allowance.admits is None:
            left = np.asarray(left & ~np.asarray(allowance.where))
    for address, predicate in judged.spec.on_elements.items():
        if not left.any():
            break
        if not is_of(name, predicate.output):
            continue
        with np.errstate(all="ignore"):
            about = left if predicate.reads_answer else np.asarray(left & predicate.function(judged.definition, right))
        if about.any():
            blamable[address] = np.asarray(about.reshape(count, -1).any(axis=1))
        if not predicate.reads_answer:
            left = np.asarray(left & ~about)
    return blamable


def _blamed_wholes(judged: JudgedCall, given: Outputs) -> set[str]:
    """Return the clauses on whole outputs that `given` breaks, restatements aside."""
    response, broken = Response(judged.definition, given, judged.asked, judged.allowances), set[str]()
    for address, predicate in judged.spec.on_outputs.items():
        if broken.isdisjoint(predicate.needs) and predicate.function(judged.definition, response) is not None:
            broken.add(address)
    return broken


def _blamed_elements(judged: JudgedCall, given: Outputs, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the clauses that wrong elements of an output break, with their masks."""
    left = Response(judged.definition, given, judged.asked, judged.allowances).wrong(name)
    for address, predicate in judged.spec.on_elements.items():
        if is_of(name, predicate.output) and left is not None and left.any():
            blamed = left & predicate.function(judged.definition, given[name])
            if blamed.any():
                yield address, blamed
                left = left & ~blamed


def _wrong_wholes(judged: JudgedCall) -> Iterator[Outputs]:
    """Yield outputs that are wrong as a whole.

    An output is missing, of another type, of another shape, or has an axis more. All change their shape at once too,
    since a clause may require equal shapes of two. Wrong outputs of the operator definition come last: a clause may be
    about two outputs."""
    right = judged.expected
    yield dict(list(right.items())[1:])
    for name, array in right.items():
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            wider = np.zeros(array.shape) if is_of_strings(array.dtype) else \
                array.astype(np.dtype(WIDER.get(name_of(array.dtype), np.float64)))
        yield {**right, name: wider}
    for changed in [*({name} for name in right), set(right)]:
        for axis in range(max(1, *(right[name].ndim for name in changed))):
            yield {name: _longer(array, axis) if name in changed else array for name, array in right.items()}
    for name, array in right.items():
        yield {**right, name: array[None]}
        yield from ({**right, name: wrong} for wrong in judged.definition.wrong_outputs(name))


def _longer(array: np.ndarray, axis: int) -> np.ndarray:
    """Return zeros with one element more along an axis, or along the last axis."""
    shape = list(array.shape) or [1]
    shape[min(axis, len(shape) - 1)] += 1
    return blank(tuple(shape), array.dtype)


WIDER: dict[str, type] = {"float64": np.longdouble, "int64": np.longdouble, "uint64": np.longdouble,
                          "complex64": np.complex128, "complex128": np.clongdouble}
"""A type with every value of another, where float64 lacks some."""


def _wrong_elements(judged: JudgedCall, right: np.ndarray, name: str, count: int) -> Iterator[np.ndarray]:
    """Yield outputs with wrong elements.

    They are far off, those of the operator definition, of the next element, special values, and elements of the inputs.
    Each of `count` stacked calls gets the elements that it gets alone."""
    if right.dtype.kind == "b":
        yield ~right
        return
    if is_of_strings(right.dtype):
        yield np.array([f"{text}!" for text in right.reshape(-1)], right.dtype).reshape(right.shape)
        yield from (wrong for wrong in judged.definition.wrong_outputs(name) if wrong.shape == right.shape)
        yield np.roll(right.reshape(count, -1), 1, axis=1).reshape(right.shape)
        yield np.full(right.shape, "", right.dtype)
        return
    with np.errstate(all="ignore"):
        one = right.dtype.type(1)
        yield right + right + one + one + one
        yield from (wrong for wrong in judged.definition.wrong_outputs(name) if wrong.shape == right.shape)
        yield np.roll(right.reshape(count, -1), 1, axis=1).reshape(right.shape)
        special = [np.nan, 0, np.inf, -np.inf] if is_float(right.dtype) else [right + one, right - one]
        turn = np.tile(np.arange(right.size // count), count).reshape(right.shape)
        yield np.choose(turn % len(special), special).astype(right.dtype)
        for given, values in judged.call.inputs.items():
            if values.size and np.can_cast(values.dtype, right.dtype, "unsafe"):  # few types of ml_dtypes are
                own = values.reshape(count if given == judged.spec.definition.stacked_input else 1, -1)
                turned = np.resize(np.roll(np.arange(own.shape[1]), 1), right.size // count)
                yield np.broadcast_to(own[:, turned], (count, len(turned))).reshape(right.shape).astype(right.dtype)
