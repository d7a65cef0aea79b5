"""The smallest calls for the boundary classes (`cases.classes`) that no other case has.

A class with a new inequality is covered by what it declares alone: nothing here names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any

import numpy as np

from plumbline.cases.classes import BOUND, Axis, Pair, Words, candidates, covered, has_dilations, modes_of, satisfiable
from plumbline.cases.flags import flags_of
from plumbline.cases.generate import clauses_about, dtypes_of
from plumbline.cases.model import Case, Expectation
from plumbline.cases.values import distinct
from plumbline.oracle import Call, Spec, load_spec

ATTEMPTS = 50
"""Axes tried for one pair, since some that keep every inequality break a clause that has no inequality."""

AUTO_PAD = {"VALID": "VALID", "valid": "VALID", "SAME_UPPER": "SAME_UPPER", "same_upper": "SAME_UPPER",
            "SAME_LOWER": "SAME_LOWER", "same_lower": "SAME_LOWER"}


def boundary_cases(spec_name: str, others: Iterable[Call]) -> Iterator[Case]:
    """Cases that have every satisfiable pair of classes that `others` do not have."""
    spec = load_spec(spec_name)
    missing = set(satisfiable(spec_name)) - covered(spec, others)
    if not missing:
        return
    rank = 2 if spec.name == "sonnx/maxpool" else 3
    for words in modes_of(spec):
        for axes in chain(batched(_axes(spec, words, missing), rank), _unequal_axes(spec, words, missing)):
            call = _call(spec, words, axes)
            missing -= covered(spec, [call])
            yield _case(spec, words, axes, call)


def batched(axes: Iterable[Axis], count: int) -> Iterator[tuple[Axis, ...]]:
    """Axes by so many; the last of them, when they are few, with the first once more, so that there are two."""
    found = list(axes)
    for start in range(0, len(found), count):
        some = tuple(found[start:start + count])
        yield some if len(some) > 1 else (*some, found[0])


def _axes(spec: Spec, words: Words, missing: set[Pair]) -> Iterator[Axis]:
    """For each missing pair on one axis, unless an axis before has it, the smallest axis that has it; the largest of
    these first, since they have most others."""
    numbers, table = candidates(spec.name, words)
    wanted = {(pair.one, pair.other) for pair in missing if not pair.across}
    having = {pair: np.flatnonzero(table[:, pair[0]] & table[:, pair[1]]) for pair in sorted(wanted)}
    for pair in sorted((pair for pair in having if len(having[pair])), key=lambda pair: -having[pair][0]):
        if pair not in wanted:
            continue
        for place in having[pair][:ATTEMPTS].tolist():
            axis = tuple(numbers[place].tolist())
            if not spec.violations(_call(spec, words, (axis, axis))):
                wanted -= {(one, other) for one, other in wanted if table[place, one] and table[place, other]}
                yield axis
                break


def _unequal_axes(spec: Spec, words: Words, missing: set[Pair]) -> Iterator[tuple[Axis, Axis]]:
    """For each pair on two axes that is still missing, the smallest axes that have it."""
    numbers, table = candidates(spec.name, words)
    for pair in sorted((pair for pair in missing if pair.across), key=lambda pair: (pair.one, pair.other)):
        places = [np.flatnonzero(table[:, of])[:ATTEMPTS].tolist() for of in (pair.one, pair.other)]
        if pair not in missing:
            continue
        for chosen in sorted(product(*places), key=sum):
            axes = tuple(tuple(numbers[place].tolist()) for place in chosen)
            if not spec.violations(_call(spec, words, axes)):
                yield axes
                break


def attributes_for(spec: Spec, words: Words, axes: tuple[Axis, ...]) -> dict[str, Any]:
    """The attributes of a call with these axes in a mode of `cases.classes.modes_of`."""
    _, kernel, strides, dilations, begin, end = (list(field) for field in zip(*axes, strict=True))
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    if has_dilations(spec):
        attributes["dilations"] = dilations
    automatic = next((AUTO_PAD[word] for word in words if word in AUTO_PAD), None)
    attributes |= {"auto_pad": automatic} if automatic else {"pads": begin + end}
    if "ceil_torch" in words:
        attributes["rounding_type"] = "ceil_torch"
    elif "ceil" in words:
        attributes["ceil_mode"] = 1
    if spec.name == "sonnx/maxpool":
        attributes |= {"auto_pad": "NOTSET", "ceil_mode": 0, "storage_order": 0}
    return attributes


def _call(spec: Spec, words: Words, axes: tuple[Axis, ...]) -> Call:
    sizes, dtypes = [axis[0] for axis in axes], dtypes_of(spec)
    dtype = np.dtype(dtypes[sum(sizes) % len(dtypes)])
    x = distinct(np.random.default_rng(sum(map(sum, axes))), (1, 1, *sizes), dtype)
    return Call(spec.operator, attributes_for(spec, words, axes), {"X": x})


def _case(spec: Spec, words: Words, axes: tuple[Axis, ...], call: Call) -> Case:
    flags = flags_of(call)
    mode = "-".join(sorted(word.lower().replace("_", "-") for word in words))
    name = "-".join("".join(f"{symbol}{value}" for symbol, value in zip(BOUND, axis, strict=True)) for axis in axes)
    return Case(f"boundary-{mode}-{name}", f"The smallest call of its boundary classes, {call.inputs['X'].dtype.name}",
                spec.name, spec.opset, call, Expectation(outputs=spec.expected(call)), clauses_about(spec, call, flags),
                f"cases.boundary_cases({spec.name!r})", flags)
