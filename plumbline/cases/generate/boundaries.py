"""The smallest calls for the boundary classes (`cases.classes`) that no other case has.

A class with a new inequality is covered by what it declares alone: nothing here names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, product

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.generate.boundary_classes import (
    Mode,
    Pair,
    candidates,
    covered,
    modes_of,
    satisfiable,
    symbols_of,
)
from plumbline.cases.generate.choices import Distinct
from plumbline.cases.generate.seeded import made_case
from plumbline.oracle import Call, Spec, load_spec

ATTEMPTS = 50
"""Axes tried for one pair, since some that keep every inequality break a clause that has no inequality."""

Axis = tuple[int, ...]
"""A number for each symbol."""


def boundary_cases(spec_name: str, others: Iterable[Call]) -> Iterator[Case]:
    """Cases that have every satisfiable pair of classes that `others` do not have."""
    spec = load_spec(spec_name)
    missing = set(satisfiable(spec_name)) - covered(spec, others)
    if not missing:
        return
    for mode in modes_of(spec):
        for axes in chain(_in_twos(_axes(spec, mode, missing)), _unequal_axes(spec, mode, missing)):
            call = _call(spec, mode, axes)
            assert call is not None, "an axis whose call was inside the domain"
            missing -= covered(spec, [call])
            yield _case(spec, mode, axes, call)


def _in_twos(axes: Iterable[Axis]) -> Iterator[tuple[Axis, ...]]:
    """Axes two by two; the last, where their number is odd, with the first once more."""
    found = list(axes)
    for start in range(0, len(found), 2):
        yield (found[start], found[start + 1] if start + 1 < len(found) else found[0])


def _axes(spec: Spec, mode: Mode, missing: set[Pair]) -> Iterator[Axis]:
    """For each missing pair on one axis, unless an axis before has it, the smallest axis that has it; the largest of
    these first, since they have most others."""
    numbers, table = candidates(spec.name, mode)
    wanted = {(pair.one, pair.other) for pair in missing if not pair.across}
    having = {pair: np.flatnonzero(table[:, pair[0]] & table[:, pair[1]]) for pair in sorted(wanted)}
    for pair in sorted((pair for pair in having if len(having[pair])), key=lambda pair: -having[pair][0]):
        if pair not in wanted:
            continue
        for place in having[pair][:ATTEMPTS].tolist():
            axis = tuple(numbers[place].tolist())
            if _call(spec, mode, (axis, axis)) is not None:
                wanted -= {(one, other) for one, other in wanted if table[place, one] and table[place, other]}
                yield axis
                break


def _unequal_axes(spec: Spec, mode: Mode, missing: set[Pair]) -> Iterator[tuple[Axis, Axis]]:
    """For each pair on two axes that is still missing, the smallest axes that have it."""
    numbers, table = candidates(spec.name, mode)
    for pair in sorted((pair for pair in missing if pair.across), key=lambda pair: (pair.one, pair.other)):
        places = [np.flatnonzero(table[:, of])[:ATTEMPTS].tolist() for of in (pair.one, pair.other)]
        if pair not in missing:
            continue
        for chosen in sorted(product(*places), key=sum):
            axes = tuple(tuple(numbers[place].tolist()) for place in chosen)
            if _call(spec, mode, axes) is not None:
                yield axes
                break


def _call(spec: Spec, mode: Mode, axes: tuple[Axis, ...]) -> Call | None:
    """The call of these axes, with what else there is to choose drawn by their numbers; None outside the domain."""
    named = [dict(zip(symbols_of(spec), axis, strict=True)) for axis in axes]
    call = spec.definition.make_at_boundary(Distinct([sum(axis) for axis in axes]), spec.opset, mode, named)
    return None if call is None or spec.violations(call) else call


def _case(spec: Spec, mode: Mode, axes: tuple[Axis, ...], call: Call) -> Case:
    words = "-".join(sorted(word.lower().replace("_", "-") for word in mode))
    name = "-".join("".join(f"{symbol}{value}" for symbol, value in zip(symbols_of(spec), axis, strict=True))
                    for axis in axes)
    dtype = next(iter(call.inputs.values())).dtype.name
    return made_case(spec, f"boundary-{words}-{name}", f"The smallest call of its boundary classes, {dtype}", call,
                     f"cases.boundary_cases({spec.name!r})")
