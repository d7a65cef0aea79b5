"""Every call within a small bound, by its number: sizes, kernels, strides, dilations, pads and modes, one or two axes.

For a bound N an axis has a size, a kernel and a stride from 1 to N, a dilation of 1 or 2 where the text has dilations,
and pads from 0 to N - 1 at either end where padding is explicit. A call has any such axis, or any two; modes differ in
`auto_pad`, rounding, and switches such as `count_include_pad`. A number is a place in this product, so that a part of a
sweep is a range of numbers; one whose call is outside the domain stands for none.

X has two planes: a ramp, in which every cell is told from every other, and values by a recipe of `cases.values`; the
recipe and the element type depend on the number alone. A text that is about images alone has, where one axis is asked
for, a second of one cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from math import prod
from typing import Any

import numpy as np

from plumbline.cases.boundaries import attributes_for
from plumbline.cases.classes import EXPLICIT, Axis, has_dilations, modes_of
from plumbline.cases.generate import FURTHER, RECIPES, dtypes_of
from plumbline.oracle import Call, Spec, SpecError, load_spec

LARGEST_DILATION = 2

SWITCHES = ("ceil_mode", "count_include_pad", "storage_order")
"""Attributes that are 0 or 1; a text has those that it allows to be 1. Rounding up is a mode of its own with explicit
padding, and is tried here with automatic padding."""

UNIT: Axis = (1, 1, 1, 1, 0, 0)
"""An axis on which nothing happens."""

Mode = tuple[frozenset[str], tuple[tuple[str, int], ...]]
"""Words, as `cases.classes.modes_of` has them, and switches that are on."""


def sweep_size(spec_name: str, bound: int, axes: int) -> int:
    """How many numbers a sweep has, those without a call included. Raises SpecError for an unknown specification, and
    for one that is about no pooling."""
    spec = load_spec(spec_name)
    return sum(_axis_count(spec, mode, bound) ** axes for mode in _modes(spec_name))


def sweep_call(spec_name: str, bound: int, axes: int, number: int) -> Call | None:
    """The call with a number, from 0 to `sweep_size` less 1; None where it is outside the domain. Raises IndexError for
    a number that the sweep does not have."""
    spec = load_spec(spec_name)
    left = number
    for mode in _modes(spec_name) if number >= 0 else ():
        count = _axis_count(spec, mode, bound)
        if left < count ** axes:
            drawn = tuple(_axis(spec, mode, bound, left // count ** place % count) for place in reversed(range(axes)))
            return _call(spec, mode, drawn, number)
        left -= count ** axes
    raise IndexError(f"{spec_name}, bound {bound}, {axes} axes: there is no number {number}; "
                     f"there are {sweep_size(spec_name, bound, axes)}, from 0 on")


def sweep_calls(spec_name: str, bound: int, axes: int, numbers: Iterable[int] | None = None) \
        -> Iterator[tuple[int, Call]]:
    """The calls of a sweep inside the domain with their numbers; of all numbers, or of some."""
    for number in range(sweep_size(spec_name, bound, axes)) if numbers is None else numbers:
        call = sweep_call(spec_name, bound, axes, number)
        if call is not None:
            yield number, call


def _call(spec: Spec, mode: Mode, drawn: tuple[Axis, ...], number: int) -> Call | None:
    words, switches = mode
    filled = (*drawn, UNIT) if len(drawn) == 1 and _images_alone(spec) else drawn
    attributes = attributes_for(spec, words, filled) | dict(switches)
    shape = (1, 1, *(axis[0] for axis in filled))
    rng = np.random.default_rng(number)
    dtype = np.dtype(str(rng.choice(dtypes_of(spec))))
    recipes = (*RECIPES[spec.operator], *FURTHER[spec.operator])
    with np.errstate(over="ignore"):
        chosen = recipes[int(rng.integers(len(recipes)))](rng, shape, dtype)
    ramp = np.arange(1, prod(shape) + 1).reshape(shape).astype(dtype)
    call = Call(spec.operator, attributes, {"X": np.concatenate([ramp, chosen], axis=1)})
    return None if spec.violations(call) else call


def _axis(spec: Spec, mode: Mode, bound: int, place: int) -> Axis:
    """One axis of those that `_axis_count` counts."""
    found = []
    for low, count in reversed(_ranges(spec, mode, bound)):
        place, digit = divmod(place, count)
        found.append(low + digit)
    return tuple(reversed(found))


def _axis_count(spec: Spec, mode: Mode, bound: int) -> int:
    """How many axes there are in a mode."""
    return prod(count for _, count in _ranges(spec, mode, bound))


@cache
def _ranges(spec: Spec, mode: Mode, bound: int) -> list[tuple[int, int]]:
    """For size, kernel, stride, dilation and both pads the smallest value, and how many there are."""
    pads = bound if not mode[0].isdisjoint(EXPLICIT) else 1
    return [(1, bound)] * 3 + [(1, LARGEST_DILATION if has_dilations(spec) else 1)] + [(0, pads)] * 2


@cache
def _modes(spec_name: str) -> tuple[Mode, ...]:
    """The modes of a specification, each without a switch first and then with every set of those that it allows. Raises
    SpecError for one that is about no pooling."""
    spec = load_spec(spec_name)
    if spec.operator not in RECIPES:
        raise SpecError(f"{spec_name} is about {spec.operator}; sweeps are of {' and '.join(RECIPES)} alone")
    found: list[Mode] = []
    for words in modes_of(spec):
        sets: list[tuple[tuple[str, int], ...]] = [()]
        for name in SWITCHES:
            if _allows(spec, words, name):
                sets += [(*switches, (name, 1)) for switches in sets]
        found += [(words, switches) for switches in sets]
    return tuple(found)


def _allows(spec: Spec, words: frozenset[str], name: str) -> bool:
    """Whether a switch may be on in a mode; it is one only where the mode does not speak of it."""
    attributes: dict[str, Any] = attributes_for(spec, words, (UNIT, UNIT))
    if name == "ceil_mode" and not words.isdisjoint(EXPLICIT):
        return False
    x = np.zeros((1, 1, 1, 1), dtypes_of(spec)[0])
    return not spec.violations(Call(spec.operator, attributes | {name: 1}, {"X": x}))


@cache
def _images_alone(spec: Spec) -> bool:
    """Whether a text has no calls of one spatial axis."""
    x = np.zeros((1, 1, 1), dtypes_of(spec)[0])
    return bool(spec.violations(Call(spec.operator, attributes_for(spec, modes_of(spec)[0], (UNIT,)), {"X": x})))
