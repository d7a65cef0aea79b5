"""Generate the smallest calls for uncovered boundary classes.

Everything follows from the inequalities that clauses declare (see `boundary_classes`): a new one needs no code here.
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
from plumbline.oracle.type_names import name_of

ATTEMPTS = 50
"""Axes tried for a pair: some keep every inequality, yet break a clause that declares none."""

Axis = tuple[int, ...]
"""A number for each symbol."""


def boundary_cases(spec_name: str, calls: Iterable[Call]) -> Iterator[Case]:
    """Yield cases for every satisfiable pair of classes that `calls` do not cover."""
    spec = load_spec(spec_name)
    missing = set(satisfiable(spec_name)) - covered(spec, calls)
    if not missing:
        return
    for mode in modes_of(spec):
        for axes in chain(_paired(_axes(spec, mode, missing)), _unequal_axes(spec, mode, missing)):
            call = _call(spec, mode, axes)
            assert call is not None, "only axes whose call is inside the domain are yielded"
            missing -= covered(spec, [call])
            yield _case(spec, mode, axes, call)


def _paired(axes: Iterable[Axis]) -> Iterator[tuple[Axis, Axis]]:
    """Yield axes in pairs; an odd last one is paired with the first."""
    every = list(axes)
    for start in range(0, len(every), 2):
        yield every[start], every[start + 1] if start + 1 < len(every) else every[0]


def _axes(spec: Spec, mode: Mode, missing: set[Pair]) -> Iterator[Axis]:
    """Yield the smallest axis for each missing pair of classes on one axis.

    `mode` says how the axis is padded or computed. The largest axes come first, since they cover most other pairs;
    pairs that an earlier axis covers are skipped."""
    numbers, table = candidates(spec.name, mode)
    wanted = {(pair.first, pair.second) for pair in missing if not pair.across}
    having = {pair: np.flatnonzero(table[:, pair[0]] & table[:, pair[1]]) for pair in sorted(wanted)}
    for pair in sorted((pair for pair in having if len(having[pair])), key=lambda pair: -having[pair][0]):
        if pair not in wanted:
            continue
        for place in having[pair][:ATTEMPTS].tolist():
            axis = tuple(numbers[place].tolist())
            if _call(spec, mode, (axis, axis)) is not None:
                wanted -= {(first, second) for first, second in wanted if table[place, first] and table[place, second]}
                yield axis
                break


def _unequal_axes(spec: Spec, mode: Mode, missing: set[Pair]) -> Iterator[tuple[Axis, Axis]]:
    """Yield the smallest axes for each pair on two axes that is still missing."""
    numbers, table = candidates(spec.name, mode)
    for pair in sorted((pair for pair in missing if pair.across), key=lambda pair: (pair.first, pair.second)):
        places = [np.flatnonzero(table[:, side])[:ATTEMPTS].tolist() for side in (pair.first, pair.second)]
        if pair not in missing:
            continue
        for first, second in sorted(product(*places), key=sum):
            axes = (tuple(numbers[first].tolist()), tuple(numbers[second].tolist()))
            if _call(spec, mode, axes) is not None:
                yield axes
                break


def _call(spec: Spec, mode: Mode, axes: tuple[Axis, ...]) -> Call | None:
    """Return the call of these axes, None outside the domain; other choices are drawn, seeded by the axes."""
    named = [dict(zip(symbols_of(spec), axis, strict=True)) for axis in axes]
    call = spec.definition.make_at_boundary(Distinct([sum(axis) for axis in axes]), spec.opset, mode, named)
    return None if call is None or spec.violations(call) else call


def _case(spec: Spec, mode: Mode, axes: tuple[Axis, ...], call: Call) -> Case:
    words = "-".join(sorted(word.lower().replace("_", "-") for word in mode))
    name = "-".join("".join(f"{symbol}{value}" for symbol, value in zip(symbols_of(spec), axis, strict=True))
                    for axis in axes)
    dtype = name_of(next(iter(call.inputs.values())).dtype)
    return made_case(spec, f"boundary-{words}-{name}", f"The smallest call of its boundary classes, {dtype}", call,
                     f"plumbline.cases.generate.boundaries.boundary_cases({spec.name!r})")
