"""Which clauses a call tries, computed: those that some wrong answer to it would break, and no others.

The canonical outputs are spoilt in the ways in which implementations go wrong, and the oracle is asked which clauses
the result breaks. A clause on whole outputs is tried where some spoilt answer breaks it with nothing but its
consequences. Wrong elements are blamed one by one, so that all of an output can be spoilt in one question.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.parts import begun
from plumbline.oracle.response import Response, is_float

Outputs = dict[str, np.ndarray]

LARGE = 2**12
"""Elements of the largest tensor, above which a call is large."""


def tried(spec: Spec, call: Call, outputs: tuple[str, ...] | None = None) -> frozenset[str]:
    """Addresses of the clauses that a call tries, of which `outputs` are asked for (by default those that it asks for):
    inside the domain the clauses on outputs that can be broken, the unspecified clauses that apply, and the clauses on
    calls that are kept; outside it those that are broken. Raises OutsideDomain for what is not a call of the
    operator."""
    judged = spec.judged(call if outputs is None else call.asking_for(*outputs))
    if judged.violations:
        return frozenset(entry.clause for entry in judged.violations)
    kept = {standing.clause for standing in judged.standings if standing.state == "kept"}
    return frozenset(kept | set(judged.unspecified_by_clause) | _on_outputs(judged))


_tried_by: WeakKeyDictionary[Case, frozenset[str]] = WeakKeyDictionary()
"""What is known of cases that are still in use: a strong reference would keep the arrays of thousands."""


def tried_by(case: Case) -> frozenset[str]:
    """Return the clauses that a case tries with every output asked for."""
    if case not in _tried_by:
        _tried_by[case] = tried(load_spec(case.spec), case.call)
    return _tried_by[case]


def on_outputs(spec: Spec, call: Call) -> tuple[str, ...]:
    """Of these the clauses on outputs, in the order of the text and without those that restate another. Of a large call
    whose slices are alike a part is asked: what some wrong answer to it breaks, one to the whole breaks too."""
    part = begun(spec, call, LARGE) if spec.definition.slices_alike else call
    found = _on_outputs(spec.judged(call) if part is call else JudgedCall(spec, part))
    return tuple(address for address, clause in spec.clauses.items() if address in found and not clause.restates)


def together(judged: JudgedCall, count: int) -> list[set[str]]:
    """What `on_outputs` says of each of `count` calls, which are laid together in one (`oracle.stack`)."""
    by_clause = _on_elements(judged, count)
    wholes = _on_wholes(judged)
    return [wholes | {address for address, calls in by_clause.items() if calls[place]} for place in range(count)]


def _on_outputs(judged: JudgedCall) -> set[str]:
    return _with_restatements(judged.spec, _on_wholes(judged) | set(_on_elements(judged, 1)))


def _with_restatements(spec: Spec, found: set[str]) -> set[str]:
    return found | {address for address, clause in spec.clauses.items() if clause.restates in found}


def _on_wholes(judged: JudgedCall) -> set[str]:
    found, sought = set[str](), judged.spec.on_outputs.keys()
    for wrong in _wrong_wholes(judged):
        if found >= sought:
            break
        broken = _blamed_wholes(judged, wrong)
        found |= {address for address in broken if broken <= judged.spec.consequences(address)}
    return found


def _on_elements(judged: JudgedCall, count: int) -> dict[str, np.ndarray]:
    """The clauses on elements that can be broken: bool (calls,), by which of the calls laid together."""
    right, found = judged.expected, dict[str, np.ndarray]()
    for name, array in right.items():
        sought = {address for address, predicate in judged.spec.on_elements.items() if predicate.output == name}
        for elements in _wrong_elements(judged, array, name, count) if array.size and sought else ():
            for address, mask in _blamed_elements(judged, {**right, name: elements}, name):
                calls = mask.reshape(count, -1).any(axis=1)
                found[address] = found[address] | calls if address in found else calls
            if all(address in found and found[address].all() for address in sought):
                break
    return found


def _blamed_wholes(judged: JudgedCall, given: Outputs) -> set[str]:
    """The clauses on whole outputs that some outputs break, restatements aside."""
    response, broken = Response(judged.definition, given, judged.asked, judged.allowances), set[str]()
    for address, predicate in judged.spec.on_outputs.items():
        if broken.isdisjoint(predicate.needs) and predicate.function(judged.definition, response) is not None:
            broken.add(address)
    return broken


def _blamed_elements(judged: JudgedCall, given: Outputs, name: str) -> Iterator[tuple[str, np.ndarray]]:
    """The clauses that wrong elements of one output are blamed on, each with the mask of these."""
    left = Response(judged.definition, given, judged.asked, judged.allowances).wrong(name)
    for address, predicate in judged.spec.on_elements.items():
        if predicate.output == name and left is not None and left.any():
            blamed = left & predicate.function(judged.definition, given[name])
            if blamed.any():
                yield address, blamed
                left = left & ~blamed


def _wrong_wholes(judged: JudgedCall) -> Iterator[Outputs]:
    """The outputs with one missing, of another type, of another shape, or with one axis more; all of another shape at
    once, since one clause often says that two are of the same; and those of another shape that the definition adds."""
    right = judged.expected
    yield dict(list(right.items())[1:])
    for name, array in right.items():
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            wider = array.astype(WIDER.get(array.dtype.name, np.float64))
        yield {**right, name: wider}
    for name in (*right, None):
        rank = max(array.ndim for of, array in right.items() if name in (of, None))
        for longer in range(max(rank, 1)):
            yield {of: _longer(array, longer) if name in (of, None) else array for of, array in right.items()}
    for name, array in right.items():
        yield {**right, name: array[None]}
        yield from ({**right, name: wrong} for wrong in judged.definition.wrong_outputs(name)
                    if wrong.shape != array.shape)


def _longer(array: np.ndarray, axis: int) -> np.ndarray:
    """Zeros of another shape: one element more along an axis, or along the last where there are fewer."""
    shape = list(array.shape) or [1]
    shape[min(axis, len(shape) - 1)] += 1
    return np.zeros(shape, array.dtype)


WIDER: dict[str, type] = {"float64": np.longdouble, "int64": np.longdouble, "uint64": np.longdouble,
                          "complex64": np.complex128, "complex128": np.clongdouble}
"""Types that hold every value of a type, where float64 does not."""


def _wrong_elements(judged: JudgedCall, right: np.ndarray, name: str, count: int) -> Iterator[np.ndarray]:
    """The output with other elements: what the definition of the operator adds; far off; of its neighbours; special
    ones; of the inputs. Each of `count` calls that are laid together gets those that it gets alone."""
    if right.dtype.kind == "b":
        yield ~right
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
            if values.size:
                own = values.reshape(count if given == judged.spec.definition.stacked_input else 1, -1)
                turned = np.resize(np.roll(np.arange(own.shape[1]), 1), right.size // count)
                yield np.broadcast_to(own[:, turned], (count, len(turned))).reshape(right.shape).astype(right.dtype)
