"""Symptoms of functions by their body: which attributes were read otherwise, and what zeros went through.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.narrower_types import LARGEST
from plumbline.oracle.rounding import PRECISION, Wide

FIVE_DIGITS = 1e-5
"""Relative, of constants that runtimes write with so many digits."""

PLACES = 5
"""Behind the point, of constants that runtimes round."""


def _are_inside(definition: Any, entry: Divergence, ends: Ends, room: float = 0) -> bool:
    """Return True if wrong elements lie between ends, give or take a relative room.

    Where anything conforms they are not finite."""
    if entry.where is None:
        return False
    at = tuple(np.asarray(entry.where).T)
    low, high = (np.broadcast_to(end, definition.x.shape)[at] for end in ends)
    got = np.asarray(entry.got).astype(Wide).ravel()
    with np.errstate(all="ignore"):
        off = np.where(np.isfinite(got), room * np.abs(got), 0)
        is_inside = (got >= low - off) & (got <= high + off)
        return bool(np.all(is_inside | (low != low) & ~np.isfinite(got)))


def _in_single_precision(definition: Any) -> Any:
    """Return the call with an input of float32 in place of float64, as runtimes without the latter compute it."""
    inputs = {name: x.astype(np.float32) if x.dtype == np.float64 else x for name, x in definition.inputs.items()}
    return type(definition)(replace(definition.call, inputs=inputs), definition.version)


def _with_numbers(definition: Any, entry: Divergence, numbers: Mapping[str, float], room: float = 0) -> bool:
    with np.errstate(over="ignore"):
        return any(_are_inside(each, entry, _reading(each, numbers).by_neighbors, room)
                   for each in (definition, _in_single_precision(definition)))


def _reading(definition: Any, numbers: Mapping[str, float]) -> Any:
    """Return the call with other attributes; where the type lacks one, its numbers on either side count."""
    attributes = {**definition.attributes, **numbers}
    return type(definition)(replace(definition.call, attributes=attributes), definition.version)


def _zeros_computed(definition: Any, entry: Divergence) -> bool:
    """Elements are zeros or NaN where the input is a zero, or one in float32."""
    if entry.where is None:
        return False
    with np.errstate(over="ignore"):
        x = _in_single_precision(definition).x[tuple(np.asarray(entry.where).T)]
    got = np.asarray(entry.got).ravel()
    return bool(np.all((x == 0) & ((got == 0) | (got != got))))


def _numbers_as_one(definition: Any, entry: Divergence) -> bool:
    """Elements are what attributes of 1 give, where some are not 1."""
    numbers = dict.fromkeys(definition.numbers, 1.0)
    return any(definition.attribute(name) != 1 for name in numbers) and _with_numbers(definition, entry, numbers)


def _zero_numbers_as_default(definition: Any, entry: Divergence) -> bool:
    """Elements are what defaults give, of the first version with a body, where attributes are 0 or not set.

    Five digits of the defaults count."""
    given = {name: value for name, value in definition.attributes.items() if name in definition.numbers and value != 0}
    if given.keys() == definition.attributes.keys() and definition.version >= definition.first_body:
        return False
    newer = type(definition)(replace(definition.call, attributes={}), max(definition.version, definition.first_body))
    return _with_numbers(definition, entry, {name: given.get(name, newer.attribute(name))
                                             for name in definition.numbers}, FIVE_DIGITS)


def _defaults_of_five_places(definition: Any, entry: Divergence) -> bool:
    """Elements are what defaults give, of the first version with a body, that are rounded to five places."""
    newer = type(definition)(replace(definition.call, attributes={}), max(definition.version, definition.first_body))
    short = {name: round(newer.attribute(name), PLACES) for name in definition.numbers}
    numbers = {name: definition.attributes.get(name, default) for name, default in short.items()}
    return numbers != {name: definition.attribute(name) for name in numbers} and _with_numbers(
        definition, entry, numbers)


def _infinite_numbers_as_finite(definition: Any, entry: Divergence) -> bool:
    """Elements are what float32 gives where infinite attributes are its largest numbers."""
    numbers = {name: float(definition.attribute(name)) for name in definition.numbers}
    if not any(map(np.isinf, numbers.values())) or entry.where is None:
        return False
    single = _in_single_precision(definition)
    ends = {name: float(np.clip(number, -LARGEST, LARGEST)) for name, number in numbers.items()}
    return _are_inside(single, entry, single._at_numbers(ends)[1])


def _number_not_multiplied(definition: Any, entry: Divergence) -> bool:
    """Elements are max(x, 0) + min(0, e**(x / n) - 1) with the attribute n, to four roundings."""
    if not definition.numbers or entry.where is None:
        return False
    number = Wide(np.float32(definition.attribute(definition.numbers[0])))
    x, got = definition.x[tuple(np.asarray(entry.where).T)].astype(Wide), np.asarray(entry.got).astype(Wide).ravel()
    with np.errstate(all="ignore"):
        value = np.maximum(x, 0) + np.minimum(np.expm1(x / number), 0)
        room = 4 * float(PRECISION[definition.x.dtype.name][0]) * np.maximum(np.where(np.isfinite(x), np.abs(x), 0), 1)
        return bool(np.all((got == value) | (np.abs(got - value) <= room)))


def _near_zero_for_minus_infinity(definition: Any, entry: Divergence) -> bool:
    """Elements are at most 0 and above -0.00001 where the input is -inf, as of an argument that is clamped."""
    if entry.where is None:
        return False
    x, got = definition.x[tuple(np.asarray(entry.where).T)], np.asarray(entry.got).ravel()
    return bool(np.all((x == -np.inf) & (got <= 0) & (got > -1e-5)))


SYMPTOMS = {"zeros-computed": _zeros_computed, "numbers-as-one": _numbers_as_one,
            "zero-numbers-as-default": _zero_numbers_as_default, "number-not-multiplied": _number_not_multiplied,
            "infinite-numbers-as-finite": _infinite_numbers_as_finite,
            "defaults-of-five-places": _defaults_of_five_places,
            "near-zero-for-minus-infinity": _near_zero_for_minus_infinity}
