"""Generate calls in which a special value of one input decides an output element.

In a drawn call the special values of several inputs hide each other, a small input has none, and a sum absorbs what is
tiny. So the other inputs of these calls are plain, and reading the value wrongly breaks a clause: the oracle is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.generate.choices import Led
from plumbline.cases.generate.combinations import combination_cases
from plumbline.cases.generate.planting import planted
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.generate.size_classes import types_of
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.answers import TooLarge
from plumbline.oracle.choosing import element_type
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import DTYPE

DRAWS, MOST, TRIES = 48, 256, 16
"""Draws of an element type, the elements that an input of them may have, and calls that are tried for a value."""

LAST_INPUT = 3
"""Number of the last input that has cases: in operators that take any number, later ones are like it."""

Misreading = Callable[[np.ndarray], np.ndarray]


def _as(value: str, part: slice) -> Misreading:
    """Return a reading in which a part of an input has another value."""
    def misread(x: np.ndarray) -> np.ndarray:
        x = x.copy()
        x.reshape(-1)[part] = planted(x.dtype)[value]
        return x
    return misread


WHOLE, FIRST, LAST, BEHIND_EIGHT = slice(None), slice(1), slice(-1, None), slice(9, 10)

READINGS: dict[str, tuple[str, slice, tuple[Misreading, ...]]] = {
    "nan": ("nan", FIRST, (_as("zero", FIRST), _as("nan", slice(2)))),
    "nan behind eight": ("nan", BEHIND_EIGHT, (_as("zero", BEHIND_EIGHT),)),
    "nan at the end": ("nan", LAST, (_as("zero", LAST),)),
    "inf": ("inf", FIRST, (_as("largest", FIRST), _as("nan", FIRST))),
    "minus inf": ("minus inf", FIRST, (_as("inf", FIRST), _as("lowest", FIRST))),
    "minus zero": ("minus zero", WHOLE, (_as("zero", WHOLE),)),
    "subnormal": ("subnormal", WHOLE, (_as("zero", WHOLE),)),
    "near overflow": ("near overflow", FIRST, (_as("inf", FIRST),))}
"""By name a special value, the elements of an input that have it, and wrong readings of that input."""

OF_ANY_TYPE = ("near overflow",)
"""Values that are tried in every floating-point type, since a narrower type does not have them."""


def deciding_cases(spec_name: str) -> Iterator[Case]:
    """Yield a case for each input and special value that decides an output; none unless the version is the newest.

    Left out are the first input, which all other cases are about, and those of `combination_cases`."""
    spec = load_spec(spec_name)
    types = [dtype for dtype in (types_of(spec) if spec.is_newest else ()) if is_float(element_type(dtype))]
    combined = {name for case in islice(combination_cases(spec_name), 1) for name in case.call.inputs}
    for dtype in types:
        drawn = _drawn(spec, dtype)
        names = dict.fromkeys(name for call in drawn for name in [*call.inputs][1:LAST_INPUT] if name not in combined)
        for name in names:
            calls = [call for call in drawn if name in call.inputs and call.inputs[name].dtype == element_type(dtype)]
            for value in READINGS if dtype == types[0] else OF_ANY_TYPE:
                call = _deciding(spec, calls, name, value)
                if call is not None:
                    said = f"{dtype}-{value}-in-{name}".replace(" ", "-").replace("_", "-")
                    yield made_case(spec, f"planted-{said}", f"Special values: {dtype}, {value} in {name}", call,
                                    f"plumbline.cases.generate.deciding_values.deciding_cases({spec.name!r})")


def _drawn(spec: Spec, dtype: str) -> list[Call]:
    """Return small valid calls of an element type, on plain values."""
    calls = []
    for number in range(DRAWS):
        try:
            call = spec.make(Led([number], {DTYPE: dtype}, MOST))
        except OverflowError:
            continue
        if call is not None and not spec.violations(call):
            calls.append(call)
    return calls


def _deciding(spec: Spec, calls: Sequence[Call], name: str, value: str) -> Call | None:
    """Return a call in which most wrong readings of a value in an input break a clause; None if none does."""
    special, part, misreadings = READINGS[value]
    large_enough = [call for call in calls if call.inputs[name].reshape(-1)[part].size > (
        call.inputs[name].size == 1 and part is LAST)]
    best, most = None, 0
    for plain in islice(chain.from_iterable(_plain(call, name) for call in large_enough), TRIES):
        call = _reading(plain, name, _as(special, part))
        count = sum(_is_wrong(spec, call, _reading(call, name, misread)) for misread in misreadings)
        if count > most:
            best, most = call, count
        if count == len(misreadings):
            break
    return best


def _plain(call: Call, name: str) -> Iterator[Call]:
    """Yield a call with its other floating-point inputs as drawn, then of ones, then with one of them zero."""
    yield call
    ones = {other: np.ones_like(x) for other, x in call.inputs.items() if other != name and is_float(x.dtype)}
    yield from (replace(call, inputs={**call.inputs, **ones, **{other: np.zeros_like(ones[other]) for other in zeros}})
                for zeros in ((), *((other,) for other in ones)) if ones)


def _reading(call: Call, name: str, reading: Misreading) -> Call:
    return replace(call, inputs={**call.inputs, name: reading(call.inputs[name])})


def _is_wrong(spec: Spec, call: Call, misread: Call) -> bool:
    """Return whether the outputs of a call break a clause of another one, which may not be refused."""
    try:
        judged = spec.judged(call)
        if judged.violations or judged.may_refuse or spec.violations(misread):
            return False
        return bool(judged.divergences(spec.expected(misread)))
    except (OutsideDomain, TooLarge):
        return False
