"""Generate calls of elementwise operators on every combination of special values of two or more inputs.

Every version and element type has one, of equal shapes, with as many attributes as such a call can have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.generate.choices import Led
from plumbline.cases.generate.exhaustive import PLACE
from plumbline.cases.generate.planting import planted
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.generate.size_classes import types_of
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.families.elementwise import ALIKE, RANKS, Elementwise
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import DTYPE

ATTEMPTS = 40
"""Draws of attributes and inputs."""

FORM = {RANKS.name: 1, ALIKE.name: True}
"""Fixed choices of a draw: inputs of one axis, and of one shape."""

Row = tuple[Any, ...]
"""A value of each input, at one place."""

MOST = 1 << 12
"""Combinations in a call."""


def combination_cases(spec_name: str) -> Iterator[Case]:
    """Yield a case for each element type of numbers of an elementwise operator with two inputs or more.

    Combinations outside the domain, and those of which an implementation may refuse the call, are left out."""
    spec = load_spec(spec_name)
    for dtype in types_of(spec) if issubclass(spec.definition, Elementwise) else ():
        plain = _plainest(spec, dtype)
        if plain is not None:
            values = product(*(_specials(x.dtype) for x in plain.inputs.values()))
            call = _holding(plain, _inside(spec, plain, list(values)))
            yield made_case(spec, f"combined-{dtype.replace('_', '-')}", f"Combinations of special values: {dtype}",
                            call, f"plumbline.cases.generate.combinations.combination_cases({spec.name!r})")


def _plainest(spec: Spec, dtype: str) -> Call | None:
    """Return a call on small integers with most attributes, then with fewest inputs, or None if there is none."""
    calls: list[Call] = []
    for attempt in range(ATTEMPTS):
        drawn = spec.make(Led([attempt], {**FORM, DTYPE: dtype}))
        if drawn is None or len(drawn.inputs) < 2 or not all(_has_specials(x.dtype) for x in drawn.inputs.values()):
            continue
        call = _holding(drawn, [tuple(range(len(drawn.inputs) + 1, 1, -1))] * (PLACE + 1))
        if np.prod([len(_specials(x.dtype)) for x in call.inputs.values()]) <= MOST and _is_elementwise(spec, call):
            calls.append(call)
    return max(calls, key=lambda call: (len(call.attributes), -len(call.inputs)), default=None)


def _has_specials(dtype: np.dtype) -> bool:
    """Return whether a type is of truth values or real numbers, integers of less than eight bits aside."""
    return is_float(dtype) or dtype.kind in "biu"


@cache
def _specials(dtype: np.dtype) -> tuple[Any, ...]:
    """Return the special values of a type: the planted ones, and some beside zero, one and the ends.

    Subnormal numbers are left to other cases, since a runtime that reads them as zero would show two root causes in one
    call. Of floating-point numbers the count is odd, so that NaN of each input is at odd and at even places."""
    if dtype.kind == "b":
        return np.False_, np.True_
    more = [0.5, -2, 3] if is_float(dtype) else [
        0, 2, *(end + step for end, step in ((np.iinfo(dtype).max, -1), (np.iinfo(dtype).min, 1)))]
    values = [*(value for name, value in planted(dtype).items() if name != "subnormal"), 1,
              *([] if dtype.kind == "u" else [-1]), *more]
    return tuple(np.array(value).astype(dtype)[()] for value in values)


def _holding(call: Call, rows: list[Row]) -> Call:
    """Return a call with one row of values at each place, in inputs of one axis."""
    columns = list(zip(*rows, strict=True)) or [()] * len(call.inputs)
    return replace(call, inputs={name: np.array(column).astype(x.dtype) for (name, x), column in
                                 zip(call.inputs.items(), columns, strict=True)})


def _inside(spec: Spec, call: Call, rows: list[Row]) -> list[Row]:
    """Return the rows with which the call is inside the domain and may not be refused, by bisection."""
    judged = spec.judged(_holding(call, rows))
    if not rows or not judged.violations and not judged.may_refuse:
        return rows
    half = len(rows) // 2
    return [*_inside(spec, call, rows[:half]), *_inside(spec, call, rows[half:])] if half else []


def _is_elementwise(spec: Spec, call: Call) -> bool:
    """Return whether a call is inside the domain, of which an element is read of each input, and nothing undefined."""
    try:
        judged = spec.judged(call)
        return not judged.violations and not judged.unspecified_clauses and all(
            array.shape == (PLACE + 1,) and {name: rows.tolist() for name, rows in judged.receptive_field(
                output, (PLACE,)).items()} == dict.fromkeys(call.inputs, [[PLACE]])
            for output, array in judged.expected.items())
    except OutsideDomain:
        return False
