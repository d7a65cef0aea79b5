"""Shrink a call step by step while a condition holds.

A step removes an attribute, an optional input, or a part of an axis (of one input, or of all with its size); moves a
number of an attribute towards its neutral value; or replaces an element by a plain number. The operator definition adds
steps that need several changes at once. Every step reduces `weight`, so that shrinking ends.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle import Call, OutsideDomain, Spec
from plumbline.oracle.call import is_of

PLAIN = (0, 1)
"""Numbers that replace elements, the plainest first."""


def smallest(spec: Spec, call: Call, holds: Callable[[Call], bool], attempts: int, seconds: float = math.inf) -> Call:
    """Return a call that `holds`, but no smaller one does.

    After `attempts` calls of `holds`, or `seconds`, return the smallest so far."""
    end = time.monotonic() + seconds
    while attempts and time.monotonic() < end:
        for candidate in smaller(spec, call):
            attempts -= 1
            if holds(candidate):
                call = candidate
                break
            if not attempts or time.monotonic() >= end:
                return call
        else:
            return call
    return call


def smaller(spec: Spec, call: Call) -> Iterator[Call]:
    """Yield the calls one step smaller, the largest steps first."""
    limit = weight(spec, call)
    return (candidate for candidate in _steps(spec, call) if weight(spec, candidate) < limit)


def weight(spec: Spec, call: Call) -> tuple[int, int, int]:
    """Return the size of a call, in decreasing importance.

    - elements and sizes of its inputs, and distances of its attributes from neutral values
    - numbers of inputs and attributes
    - elements that are not plain"""
    numbers = sum(abs(item - spec.definition.neutral.get(name, 0)) for name, value in call.attributes.items()
                  for item in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(item, int))
    size = sum(array.size + sum(array.shape) for array in call.inputs.values())
    plainness = sum(len(PLAIN) * array.size - sum((len(PLAIN) - place) * int(np.count_nonzero(array == value))
                                                  for place, value in enumerate(PLAIN))
                    for array in call.inputs.values())
    fewest = len(spec.asked(call)) if spec.variadic_output else 0
    return size + numbers, len(call.attributes) + len(call.inputs) + fewest, plainness


def _steps(spec: Spec, call: Call) -> Iterator[Call]:
    """Yield calls that differ from a call by one step, smaller or not."""
    try:
        yield from spec.judged(call).definition.shrink_candidates()
    except OutsideDomain:
        pass  # a call that no definition can read, such as one that crashes a backend: the steps below apply
    yield from (_with_inputs(call, inputs) for inputs in _fewer_inputs(spec, call.inputs))
    if spec.variadic_output and len(spec.asked(call)) > 1:
        yield replace(call, outputs=spec.output_names(len(spec.asked(call)) - 1))
    yield from (_with_inputs(call, {**call.inputs, **part}) for part in _parts(call.inputs))
    for name in call.attributes:
        yield _with_attributes(call, {other: value for other, value in call.attributes.items() if other != name})
    for name, value in call.attributes.items():
        for other in _nearer(value, spec.definition.neutral.get(name, 0)):
            yield _with_attributes(call, {**call.attributes, name: other})
    for name, array in call.inputs.items():
        yield from (_with_inputs(call, {**call.inputs, name: plainer}) for plainer in _plainer(array))


def _fewer_inputs(spec: Spec, inputs: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """Yield inputs without an optional one or the last of a variadic one."""
    last = next(reversed(list(inputs)), "")
    for name in inputs:
        is_last = spec.variadic_input is not None and is_of(name, spec.variadic_input) and name == last
        if name in spec.optional_inputs or is_last and len(inputs) > 1:
            yield {other: array for other, array in inputs.items() if other != name}


def _parts(inputs: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """Yield halves of an input along an axis, then all but one end.

    Then the same for all axes of one size at once, since sizes of several inputs often have to agree."""
    for name, array in inputs.items():
        for axis, size in enumerate(array.shape):
            for length in dict.fromkeys([size // 2, size - 1]):
                if 0 < length < size:
                    yield {name: array.take(range(length), axis)}
                    yield {name: array.take(range(size - length, size), axis)}
    sizes = [size for array in inputs.values() for size in array.shape if size > 1]
    for size in (size for size in dict.fromkeys(sizes) if sizes.count(size) > 1):
        for length in dict.fromkeys([size // 2, size - 1]):
            yield {name: array[tuple(slice(length if of == size else None) for of in array.shape)]
                   for name, array in inputs.items()}


def _nearer(value: Any, least: int) -> Iterator[Any]:
    """Yield a number, or a list with one number, nearer to `least`."""
    if isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1:]] for other in _nearer(item, least))
    elif isinstance(value, int) and not isinstance(value, bool):
        step = 1 if value > least else -1
        yield from dict.fromkeys(other for other in (least, (value + least) // 2, value - step)
                                 if abs(other - least) < abs(value - least))
    elif isinstance(value, float) and value not in PLAIN:
        yield 1.0


def _plainer(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield arrays of plainer numbers."""
    if np.any(array != PLAIN[0]):
        yield np.full_like(array, PLAIN[0])
    for place, value in enumerate(array.ravel().tolist()):
        for number in PLAIN[:PLAIN.index(value)] if value in PLAIN else PLAIN:
            changed = array.copy()
            changed.flat[place] = number
            yield changed


def _with_inputs(call: Call, inputs: Mapping[str, np.ndarray]) -> Call:
    return Call(call.operator, call.attributes, inputs, call.outputs)


def _with_attributes(call: Call, attributes: Mapping[str, Any]) -> Call:
    return Call(call.operator, attributes, call.inputs, call.outputs)
